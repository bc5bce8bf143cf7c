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
