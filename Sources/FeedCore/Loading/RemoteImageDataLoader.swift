/// Use case: load an image's data from its server.
package struct RemoteImageDataLoader: Sendable {
    package let fetcher: Fetcher
    private let maxBytes: Int64
    let now: @Sendable () -> Timestamp

    /// `maxBytes` is what an image may have where the terms it is asked for on don't say.
    package init(fetcher: Fetcher, maxBytes: Int64, now: @escaping @Sendable () -> Timestamp) {
        self.fetcher = fetcher
        self.maxBytes = maxBytes
        self.now = now
    }

    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> ImageData {
        let wanted = WantedImage(url, on: terms)
        let collected = CollectedBytes()
        let sink = ImageSink(of: url) { () throws(FeedError) in collected }
        let response = try await fetcher.get(request(for: wanted), into: sink)
        switch try answer(response, to: wanted, in: sink) {
        case .received(let image):
            return ImageData(bytes: collected.bytes, type: image.type, validators: image.validators)
        case .notModified:
            throw HTTPStatus.failure(HTTPStatus.notModified, at: url)
        }
    }

    package enum Answer: Sendable {
        case received(ReceivedImage)
        /// The data that the validators came with is still the latest. Here are the validators it has now.
        case notModified(ConfirmedImage)
    }

    /// With validators it is conditional, and may be answered with `notModified`.
    func request(for wanted: WantedImage) -> HTTPRequest {
        // Nearly all images are compressed as they are; and of a body that the server compresses on its way, the length
        // is not known beforehand, and the rest can't be asked for when it breaks off.
        HTTPRequest(
            url: wanted.place, validators: wanted.validators, maxBytes: wanted.terms.maxImageBytes ?? maxBytes,
            on: wanted.terms, mayBeCompressed: false)
    }

    /// `sink` has taken the answer's body.
    func answer(
        _ response: HTTPResponse, to wanted: WantedImage, in sink: ImageSink
    ) throws(FeedError) -> Answer {
        let head = response.head
        guard !Task.isCancelled else { throw .cancelled }
        if head.status == HTTPStatus.notModified, !wanted.validators.isEmpty {
            let validators = wanted.validators.updated(by: head.validators)
            return .notModified(
                ConfirmedImage(
                    url: wanted.url, dataOf: wanted.predecessor, validators: validators, confirmedAt: now()))
        }
        guard head.status == HTTPStatus.ok else { throw HTTPStatus.failure(response, askedFor: wanted.place) }
        // What is kept with an image is sent to its own URL.
        let validators = wanted.place == wanted.url ? head.validators : Validators()
        guard let image = sink.received(validators: validators, at: now()) else {
            throw .invalidData("an empty answer, no image", host: wanted.place.hostAndPort)
        }
        return .received(image)
    }
}
