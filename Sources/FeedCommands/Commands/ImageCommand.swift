import FeedCore

/// Writes the bytes of one image: from the cache, or else from its server.
struct ImageCommand {
    private typealias Loaded = (image: ImageData, source: String, notSaved: FeedError?)

    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        // The output is checked first, so that a wrong output costs no request.
        if let file = settings.output {
            try session.requireOutsideCache(file, for: "the image")
        } else if session.world.output.isTerminal {
            throw .storage(
                .cannotCreate,
                "standard output is a terminal: redirect it, or give -o FILE")
        }
        do {
            let (image, source, notSaved) = try await load(url)
            let size = Phrases.size(Int64(image.bytes.count))
            session.detail(LogLine(step: "image_loaded", of: url, "\(image.type.mediaType), \(size), \(source)"))
            try deliver(image)
            guard let notSaved else { return .ok }
            session.report("\(url): not saved: \(notSaved.message)", "not_saved")
            return ExitCode.of(notSaved)
        } catch {
            throw error.about(url)
        }
    }

    /// Loads the image from the cache, without waiting for a lock, else from its server.
    private func load(_ url: ResourceURL) async throws(FeedError) -> Loaded {
        if settings.offline {
            return (try await session.withExistingCache(loading(url)), "from the cache", nil)
        }
        try await session.requireReadableCache()
        let loaded = try await session.fetching(through: try session.makeTransport()) { client throws(FeedError) in
            let loader = ImageDataLoaderWithFallback(
                loadSaved: { url throws(FeedError) in try await session.withCache(.readOrEmpty, loading(url)) },
                remote: session.remoteImages(with: client), save: save)
            return try await loader.load(url)
        }
        // An image from the cache is already saved.
        guard !loaded.isFromCache else { return (loaded.data, "from the cache", nil) }
        return (loaded.data, Session.source(isSaved: loaded.isSaved), loaded.saveFailure?.notSaved)
    }

    /// Saves an image for the feeds that reference its URL and would send the same request.
    private func save(
        _ data: ImageData, _ url: ResourceURL, _ addresses: AddressScope
    ) async throws(FeedError) -> Bool {
        let feeds = try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.images(at: url).filter { wouldRequest($0, url, addresses) }.map(\.feed)
        }
        if feeds.isEmpty { return false }
        try await session.withCache(session.saving) { cache throws(FeedError) in
            try await localImages(in: cache).save(data, for: url, of: feeds)
        }
        return true
    }

    private func wouldRequest(_ found: ImageOfFeed, _ url: ResourceURL, _ addresses: AddressScope) -> Bool {
        let own = settings.of(found.feed)
        return own.manner == settings.manner && own.maxFileSize == settings.maxFileSize
            && own.identity.secrets(for: found.feed)?.origin != url.origin
            && (addresses == .publicOnly || !found.image.isPublicOnly)
    }

    private func loading(_ url: ResourceURL) -> (Cache) async throws(FeedError) -> ImageData {
        { cache throws(FeedError) in try await localImages(in: cache).load(url) }
    }

    private func localImages(in cache: Cache) -> LocalImageDataLoader {
        LocalImageDataLoader(store: cache.images, now: session.now)
    }

    private func deliver(_ image: ImageData) throws(FeedError) {
        if let file = settings.output {
            try session.world.output.replaceFile(at: file, with: image.bytes)
        } else {
            try session.world.output.write(image.bytes)
        }
    }
}
