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
            // The cache is closed first: a reader of the output may be slow, and other runs wait for the lock.
            await session.closeCaches()
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
        do {
            let cache = try await session.openCache(.read)
            return (try await localImages(in: cache).load(url), "from the cache", nil)
        } catch {
            if settings.offline || error.isCancellation { throw error }
            // SQLite cannot open a cache for writing on a full disk while the cache is open for reading.
            await session.closeCaches()
            // If the cache is at fault, the next step fails with the same error.
            return try await loadAndSave(url)
        }
    }

    private func localImages(in cache: Cache) -> LocalImageDataLoader {
        LocalImageDataLoader(store: cache.images, now: session.now)
    }

    private func loadAndSave(_ url: ResourceURL) async throws(FeedError) -> Loaded {
        let delivery = try await session.openForDelivery()
        try session.requireTrust(for: [settings])
        let loaded = try await session.fetching(through: try session.makeTransport()) { client throws(FeedError) in
            let loader = ImageDataLoaderWithFallback(
                local: localImages(in: delivery.cache), remote: session.remoteImages(with: client)
            ) { () async throws(FeedError) in
                localImages(in: try await session.openForSaving())
            }
            return try await delivery.explaining { () async throws(FeedError) in
                try await loader.load(url, on: RequestTerms(addresses: .any))
            }
        }
        // An image from the cache is already saved.
        guard !loaded.isFromCache else { return (loaded.data, "from the cache", nil) }
        return (loaded.data, CacheForDelivery.source(loaded.saveFailure), loaded.saveFailure?.notSaved)
    }

    private func deliver(_ image: ImageData) throws(FeedError) {
        if let file = settings.output {
            try session.world.output.replaceFile(at: file, with: image.bytes)
        } else {
            try session.world.output.write(image.bytes)
        }
    }
}
