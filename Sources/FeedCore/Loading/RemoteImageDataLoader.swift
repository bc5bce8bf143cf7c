/// Use case: load an image's data from its server.
package struct RemoteImageDataLoader: Sendable {
    package let fetcher: Fetcher
    private let maxBytes: Int64
    let now: @Sendable () -> Timestamp

    /// `maxBytes` is the most bytes of an image whose terms set no limit.
    package init(fetcher: Fetcher, maxBytes: Int64, now: @escaping @Sendable () -> Timestamp) {
        self.fetcher = fetcher
        self.maxBytes = maxBytes
        self.now = now
    }

    /// Returns the data, and the circle that may see it.
    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> (data: ImageData, circle: Circle) {
        let wanted = WantedImage(url, on: terms)
        let collected = CollectedBytes()
        let sink = ImageSink(of: url) { () throws(FeedError) in collected }
        let response = try await fetcher.get(request(for: wanted), into: sink)
        switch try answer(response, to: wanted, in: sink) {
        case .received(let image):
            let data = ImageData(bytes: collected.bytes, type: image.type, validators: image.validators)
            return (data, terms.circle(of: response.circumstances, at: url))
        case .notModified:
            throw HTTPStatus.failure(HTTPStatus.notModified, at: url)
        }
    }

    package enum Answer: Sendable {
        case received(ReceivedImage)
        /// The data that the validators came with is still the latest; these are its validators now.
        case notModified(ConfirmedImage)
    }

    /// The request is conditional if the image has validators; `notModified` may then answer it.
    func request(for wanted: WantedImage) -> HTTPRequest {
        // Nearly all images are compressed as they are. A server that compresses the body in transit does not tell its
        // length, and cannot resume it.
        HTTPRequest(
            url: wanted.url, validators: wanted.validators, maxBytes: wanted.terms.maxImageBytes ?? maxBytes,
            on: wanted.terms, mayBeCompressed: false)
    }

    /// Returns what the response means, once `sink` has taken its body.
    func answer(
        _ response: HTTPResponse, to wanted: WantedImage, in sink: ImageSink
    ) throws(FeedError) -> Answer {
        let head = response.head
        guard !Task.isCancelled else { throw .cancelled }
        if head.status == HTTPStatus.notModified, !wanted.validators.isEmpty {
            let validators = wanted.validators.updated(by: head.validators)
            return .notModified(ConfirmedImage(url: wanted.url, dataOf: wanted.predecessor, validators: validators))
        }
        guard head.status == HTTPStatus.ok else { throw HTTPStatus.failure(response, askedFor: wanted.url) }
        guard let image = sink.received(validators: head.validators, at: now()) else {
            throw FeedError.invalidData("the response is empty", host: wanted.url.hostAndPort)
                .touching(response.circumstances)
        }
        return .received(image)
    }
}
