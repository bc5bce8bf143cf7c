/// Use case: load the data of an image from the cache or, if it is missing, from its server, and save it.
package struct ImageDataLoaderWithFallback: Sendable {
    package struct Loaded: Hashable, Sendable {
        package let data: ImageData
        package let isFromCache: Bool
        /// The reason why saving failed.
        ///
        /// The data is delivered anyway.
        package let saveFailure: FeedError?
    }

    package typealias Load = @Sendable (ResourceURL) async throws(FeedError) -> ImageData
    package typealias Save = @Sendable (ImageData, ResourceURL, Circle) async throws(FeedError) -> Void

    private let loadSaved: Load
    private let remote: RemoteImageDataLoader
    private let save: Save

    /// `loadSaved` and `save` are the uses of the cache, which is closed between them.
    package init(loadSaved: @escaping Load, remote: RemoteImageDataLoader, save: @escaping Save) {
        self.loadSaved = loadSaved
        self.remote = remote
        self.save = save
    }

    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> Loaded {
        do {
            return Loaded(data: try await loadSaved(url), isFromCache: true, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch let error where error.kind == .notFound {
            return try await loadRemote(url, on: terms, after: nil)
        } catch {
            // Damaged or unreadable data is requested again. Its error counts if the request fails, too.
            return try await loadRemote(url, on: terms, after: error)
        }
    }

    private func loadRemote(
        _ url: ResourceURL, on terms: RequestTerms, after cacheFailure: FeedError?
    ) async throws(FeedError) -> Loaded {
        let (data, circle): (ImageData, Circle)
        do {
            (data, circle) = try await remote.load(url, on: terms)
        } catch {
            guard let cacheFailure, !error.isCancellation else { throw error }
            throw error.adding(", and the cache can't be read: \(cacheFailure.message)")
        }
        do {
            try await save(data, url, circle)
            return Loaded(data: data, isFromCache: false, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return Loaded(data: data, isFromCache: false, saveFailure: error)
        }
    }
}

/// Use cases: load an image's data from the cache, and save it there.
package struct LocalImageDataLoader: Sendable {
    private let store: any ImageStore
    private let now: @Sendable () -> Timestamp

    package init(store: any ImageStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// Returns the data of a URL in any circle.
    package func load(_ url: ResourceURL) async throws(FeedError) -> ImageData {
        let found = try await store.find(url)
        guard !Task.isCancelled else { throw .cancelled }
        guard let found else { throw .notFound("this image is not in the cache") }
        let bytes = try await store.data(of: found)
        guard !Task.isCancelled else { throw .cancelled }
        return ImageData(bytes: bytes, type: found.type, validators: found.validators)
    }

    package func save(_ data: ImageData, for url: ResourceURL, in circle: Circle) async throws(FeedError) {
        let staged = try store.stage()
        try staged.append(data.bytes)
        let image = ReceivedImage(
            url: url, recipients: [Recipient(image: url, circle: circle)], bytes: staged,
            size: Int64(data.bytes.count), type: data.type, validators: data.validators, fetchedAt: now())
        for result in try await store.publish([image]) { _ = try result.get() }
    }
}
