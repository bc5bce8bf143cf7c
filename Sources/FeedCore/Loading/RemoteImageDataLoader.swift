/// Use case: load an image's data from its server.
package struct RemoteImageDataLoader: Sendable {
    private let client: any HTTPClient
    private let maxBytes: Int64

    package init(client: any HTTPClient, maxBytes: Int64) {
        self.client = client
        self.maxBytes = maxBytes
    }

    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> ImageData {
        let collected = CollectedImage()
        let received = try await receive(url, on: terms) { () throws(FeedError) in collected }
        return ImageData(bytes: collected.data, type: received.type, validators: received.validators)
    }

    package struct Received: Sendable {
        package let bytes: any StagedImage
        package let size: Int64
        package let type: ImageType
        package let validators: Validators
    }

    /// Streams the data into a place that `stage` gives once the first bytes have shown to be an image's.
    package func receive(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms(),
        into stage: @escaping @Sendable () throws(FeedError) -> any StagedImage
    ) async throws(FeedError) -> Received {
        let sink = ImageSink(host: url.host, stage: stage)
        let request = HTTPRequest(url: url, maxBytes: maxBytes, on: terms)
        let head = try await client.get(request, into: sink).head
        guard !Task.isCancelled else { throw .cancelled }
        guard head.status == HTTPStatus.ok else { throw HTTPStatus.failure(head.status, at: url) }
        guard let (bytes, type, size) = sink.received() else {
            throw .invalidData("an empty answer, no image", host: url.host)
        }
        return Received(bytes: bytes, size: size, type: type, validators: head.validators)
    }
}
