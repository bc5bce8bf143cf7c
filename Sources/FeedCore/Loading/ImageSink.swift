import Synchronization

/// Receives the bytes of an image, and refuses a body whose first bytes begin no image.
final class ImageSink: BodySink {
    private struct State {
        var staged: (any StagedImage)?
        var type: ImageType?
        var size: Int64 = 0
    }

    private let stage: Stage
    private let url: ResourceURL
    private let state = Mutex(State())

    typealias Stage = @Sendable () throws(FeedError) -> any StagedImage

    init(of url: ResourceURL, stage: @escaping Stage) {
        self.url = url
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

    private func recognise(_ chunk: [UInt8]) throws(FeedError) -> ImageType {
        if let type = ImageType(signatureOf: chunk) { return type }
        let isPage = LeadingBytes.areBeforeMarkup(in: chunk)
        let reason = isPage ? "a web page or other markup, no image" : "no image of a known type"
        throw .invalidData(reason, host: url.hostAndPort)
    }
}
