import FeedCore

struct ImageCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        // Before a server is asked in vain.
        if let file = settings.output {
            try session.requireElsewhere(file, for: "the image")
        } else if session.world.output.isTerminal {
            throw .storage(
                .cannotCreate,
                "standard output is a terminal, and an image is not for reading: redirect it, or give -o FILE")
        }
        do {
            if let cached = try await loadCached(url) {
                tell(url, cached, "from the cache")
                // Before the data is written, as in `show`.
                await session.closeCaches()
                try deliver(cached)
                return .ok
            }
            return try await loadRemote(url)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            throw error.about(url)
        }
    }

    /// What is in the cache is had without waiting for anybody; nil where a server has to be asked.
    private func loadCached(_ url: ResourceURL) async throws(FeedError) -> ImageData? {
        guard !settings.offline else { return try await load(url) }
        do {
            return try await load(url)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            // It is opened anew for writing, which on a full disk nobody may be reading beside.
            await session.closeCaches()
            return nil  // Whoever comes to the same error there acts on it.
        }
    }

    private func load(_ url: ResourceURL) async throws(FeedError) -> ImageData {
        let cache = try await session.openCache(.read)
        return try await LocalImageDataLoader(store: cache.images, now: session.now).load(url)
    }

    private func loadRemote(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        let (data, source, saving) = try await loadAndSave(url)
        tell(url, data, source)
        // Before the data is written, as in `show`.
        await session.closeCaches()
        try deliver(data)
        guard let saving else { return .ok }
        session.report("\(url): not saved: \(saving.message)", "not_saved")
        return ExitCode.of(saving)
    }

    private func tell(_ url: ResourceURL, _ image: ImageData, _ source: String) {
        let size = Phrases.size(Int64(image.bytes.count))
        session.detail(LogLine(step: "image_loaded", of: url, "\(image.type.mediaType), \(size), \(source)"))
    }

    private func loadAndSave(
        _ url: ResourceURL
    ) async throws(FeedError) -> (ImageData, source: String, saving: FeedError?) {
        let delivery = try await session.openForDelivery()
        try session.requireTrust(for: [settings])
        let loaded = try await session.fetching(through: try session.makeTransport()) { client throws(FeedError) in
            let loader = ImageDataLoaderWithFallback(
                local: LocalImageDataLoader(store: delivery.cache.images, now: session.now),
                remote: session.remoteImages(with: client)
            ) { () async throws(FeedError) in
                LocalImageDataLoader(store: try await session.openForSaving().images, now: session.now)
            }
            return try await delivery.explaining { () async throws(FeedError) in
                try await loader.load(url, on: session.terms(forNamed: url))
            }
        }
        // There was nothing to save.
        guard !loaded.isFromCache else { return (loaded.data, "from the cache", nil) }
        return (loaded.data, Delivery.source(loaded.saveFailure), loaded.saveFailure?.notSaved)
    }

    private func deliver(_ image: ImageData) throws(FeedError) {
        if let file = settings.output {
            try session.world.output.replaceFile(at: file, with: image.bytes)
        } else {
            try session.world.output.write(image.bytes)
        }
    }
}
