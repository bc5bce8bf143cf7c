/// Use case: load an image's data from its server.
package final class RemoteImageDataLoader: Sendable {
    private let client: any HTTPClient
    private let maxBytes: Int64

    /// `maxBytes` is what an image may have where the terms it is asked for on don't say.
    package init(client: any HTTPClient, maxBytes: Int64) {
        self.client = client
        self.maxBytes = maxBytes
    }

    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> ImageData {
        let collected = CollectedBytes()
        switch try await receive(url, on: terms, into: { () throws(FeedError) in collected }) {
        case .received(let image):
            return ImageData(bytes: collected.bytes, type: image.type, validators: image.validators)
        case .notModified:
            throw HTTPStatus.failure(HTTPStatus.notModified, at: url)
        }
    }

    package struct Received: Sendable {
        package let bytes: any StagedImage
        package let size: Int64
        package let type: ImageType
        package let validators: Validators
    }

    package enum Answer: Sendable {
        case received(Received)
        /// The data that the validators came with is still the latest. Here are the validators it has now.
        case notModified(Validators)
    }

    /// Streams the data into a place that `stage` gives once the first bytes have shown to be an image's. With
    /// validators the request is conditional, and may be answered with `notModified`. `pausing` runs what it waits for
    /// between tries.
    func receive(
        _ url: ResourceURL, validators: Validators = Validators(), on terms: RequestTerms = RequestTerms(),
        pausing: ImageSink.Pausing? = nil, into stage: @escaping ImageSink.Stage
    ) async throws(FeedError) -> Answer {
        let sink = ImageSink(of: url, pausing: pausing, stage: stage)
        // Nearly all images are compressed as they are; and of a body that the server compresses on its way, the length
        // is not known beforehand, and the rest can't be asked for when it breaks off.
        let request = HTTPRequest(
            url: url, validators: validators, maxBytes: terms.maxImageBytes ?? maxBytes, on: terms,
            mayBeCompressed: false)
        let response = try await client.get(request, into: sink)
        let head = response.head
        guard !Task.isCancelled else { throw .cancelled }
        if head.status == HTTPStatus.notModified, !validators.isEmpty {
            return .notModified(validators.updated(by: head.validators))
        }
        guard head.status == HTTPStatus.ok else { throw HTTPStatus.failure(response, askedFor: url) }
        guard let (bytes, type, size) = sink.received() else {
            throw .invalidData("an empty answer, no image", host: url.hostAndPort)
        }
        return .received(Received(bytes: bytes, size: size, type: type, validators: head.validators))
    }
}
