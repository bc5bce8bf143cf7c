import Synchronization

/// The bytes of an image and their type.
package struct ImageData: Hashable, Sendable {
    package let bytes: [UInt8]
    package let type: ImageType
    package let validators: Validators

    package init(bytes: [UInt8], type: ImageType, validators: Validators = Validators()) {
        self.bytes = bytes
        self.type = type
        self.validators = validators
    }
}

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
        /// The data that the validators came with is still the latest; these are its validators now.
        case notModified(ConfirmedImage)
    }

    /// The request is conditional if the image has validators; `notModified` may then answer it.
    func request(for wanted: WantedImage) -> HTTPRequest {
        // Nearly all images are compressed as they are. A server that compresses the body in transit does not tell its
        // length, and cannot resume it.
        HTTPRequest(
            url: wanted.url, validators: wanted.validators, maxBytes: wanted.terms.imageLimits.maxBytes ?? maxBytes,
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
        guard var image = sink.received(validators: head.validators, at: now()) else {
            throw .invalidData("the response is empty", host: wanted.url.hostAndPort)
        }
        image.published = wanted.published
        return .received(image)
    }
}

/// Receives the bytes of an image, and refuses a body whose first bytes begin no image, or too small an image.
final class ImageSink: BodySink {
    private struct State {
        var staged: (any StagedImage)?
        var type: ImageType?
        var size: Int64 = 0
        /// The beginning of the image, as long as its width and height are unknown.
        var header: [UInt8] = []
        var isMeasured = false
    }

    /// The most bytes in which the width and height of an image are looked for.
    private static let longestHeader = 256 << 10

    private let stage: Stage
    private let url: ResourceURL
    private let minSize: ImageSize?
    private let state = Mutex(State())

    typealias Stage = @Sendable () throws(FeedError) -> any StagedImage

    init(of url: ResourceURL, minSize: ImageSize? = nil, stage: @escaping Stage) {
        self.url = url
        self.minSize = minSize
        self.stage = stage
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        // The body comes again from its beginning.
        discard()
        return head.status == HTTPStatus.ok
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if state.staged == nil {
                state.type = try recognise(chunk)
                state.staged = try stage()
            }
            try checkSize(chunk, &state)
            try state.staged?.append(chunk)
            state.size += Int64(chunk.count)
        }
    }

    /// Returns the received image after its last byte; nil if there were no bytes.
    func received(validators: Validators, at moment: Timestamp) -> ReceivedImage? {
        state.withLock { state in
            guard let staged = state.staged, let type = state.type else { return nil }
            return ReceivedImage(
                url: url, bytes: staged, size: state.size, type: type, validators: validators, fetchedAt: moment)
        }
    }

    /// Throws away the received bytes.
    func discard() {
        state.withLock { state in
            state.staged?.discard()
            state = State()
        }
    }

    /// Throws if the image turns out to be smaller than the user wants.
    private func checkSize(_ chunk: [UInt8], _ state: inout State) throws(FeedError) {
        guard let minSize, !state.isMeasured, let type = state.type else { return }
        state.header += chunk
        var beginning = FileBytes(beginning: state.header)
        let size = try ImageSize.read(type, &beginning)
        guard size != nil || state.header.count >= Self.longestHeader else { return }
        state.isMeasured = true
        state.header = []
        if let size, size.isSmaller(than: minSize) { throw .tooSmall(size, host: url.hostAndPort) }
    }

    private func recognise(_ chunk: [UInt8]) throws(FeedError) -> ImageType {
        if let type = ImageType(signatureOf: chunk) { return type }
        let isPage = LeadingBytes.areBeforeMarkup(in: chunk)
        let reason = isPage ? "a web page or other markup, no image" : "no image of a known type"
        throw .invalidData(reason, host: url.hostAndPort)
    }
}
