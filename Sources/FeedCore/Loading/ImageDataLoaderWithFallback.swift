/// Use case: load the data of an image from the cache or, if it is missing, from its server, and save it.
package struct ImageDataLoaderWithFallback: Sendable {
    package struct Loaded: Hashable, Sendable {
        package let data: ImageData
        package let isFromCache: Bool
        /// Whether the data is saved for a feed now.
        package var isSaved = false
        /// The reason why saving failed.
        ///
        /// The data is delivered anyway.
        package let saveFailure: FeedError?
    }

    package typealias Load = @Sendable (ResourceURL) async throws(FeedError) -> ImageData
    /// Saves data that a request to these addresses obtained, for the feeds that would send the same request.
    ///
    /// Returns false if there is none.
    package typealias Save = @Sendable (ImageData, ResourceURL, AddressScope) async throws(FeedError) -> Bool

    private let loadSaved: Load
    private let remote: RemoteImageDataLoader
    private let save: Save

    /// `loadSaved` and `save` are the uses of the cache, which is closed between them.
    package init(loadSaved: @escaping Load, remote: RemoteImageDataLoader, save: @escaping Save) {
        self.loadSaved = loadSaved
        self.remote = remote
        self.save = save
    }

    package func load(_ url: ResourceURL) async throws(FeedError) -> Loaded {
        do {
            return Loaded(data: try await loadSaved(url), isFromCache: true, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch let error where error.kind == .notFound {
            return try await loadRemote(url, after: nil)
        } catch {
            // Damaged or unreadable data is requested again. Its error counts if the request fails, too.
            return try await loadRemote(url, after: error)
        }
    }

    private func loadRemote(_ url: ResourceURL, after cacheFailure: FeedError?) async throws(FeedError) -> Loaded {
        let (data, addresses): (ImageData, AddressScope)
        do {
            (data, addresses) = try await request(url)
        } catch {
            guard let cacheFailure, !error.isCancellation else { throw error }
            throw error.adding(", and the cache can't be read: \(cacheFailure.message)")
        }
        do {
            let isSaved = try await save(data, url, addresses)
            return Loaded(data: data, isFromCache: false, isSaved: isSaved, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return Loaded(data: data, isFromCache: false, saveFailure: error)
        }
    }

    /// Requests the image at a public address, as most feeds would, or else at any address, because the user names it.
    private func request(_ url: ResourceURL) async throws(FeedError) -> (ImageData, AddressScope) {
        do {
            return (try await remote.load(url, on: RequestTerms(addresses: .publicOnly)), .publicOnly)
        } catch let error where error.isAddressRefusal {
            return (try await remote.load(url, on: RequestTerms(addresses: .any)), .any)
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

    /// Returns the data of a URL in any feed.
    package func load(_ url: ResourceURL) async throws(FeedError) -> ImageData {
        let found = try await store.find(url)
        guard !Task.isCancelled else { throw .cancelled }
        guard let found else { throw .notFound("this image is not in the cache") }
        let bytes = try await store.data(of: found)
        guard !Task.isCancelled else { throw .cancelled }
        return ImageData(bytes: bytes, type: found.type, validators: found.validators)
    }

    package func save(_ data: ImageData, for url: ResourceURL, of feeds: [ResourceURL]) async throws(FeedError) {
        let staged = try store.stage()
        try staged.append(data.bytes)
        let image = ReceivedImage(
            url: url, feeds: feeds, bytes: staged, size: Int64(data.bytes.count), type: data.type,
            validators: data.validators, fetchedAt: now())
        for result in try await store.publish([image]) { _ = try result.get() }
    }
}
