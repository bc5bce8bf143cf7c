import Synchronization

/// Takes an image's bytes as they come and turns away at the first of them what is no image.
final class ImageSink: BodySink {
    private struct State {
        var staged: (any StagedImage)?
        var type: ImageType?
        var size: Int64 = 0
    }

    private let stage: Stage
    private let pausing: Pausing?
    private let url: ResourceURL
    private let state = Mutex(State())

    typealias Stage = @Sendable () throws(FeedError) -> any StagedImage
    /// Runs `sleep`, in which the image waits for its next try.
    typealias Pausing = @Sendable (RequestPause, _ sleep: () async throws -> Void) async throws -> Void

    init(of url: ResourceURL, pausing: Pausing?, stage: @escaping Stage) {
        self.url = url
        self.pausing = pausing
        self.stage = stage
    }

    func pausing(_ pause: RequestPause, _ sleep: () async throws -> Void) async throws {
        if let pausing { try await pausing(pause, sleep) } else { try await sleep() }
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        state.withLock { state in
            // Of a body that broke off, and now comes anew.
            state.staged?.discard()
            state = State()
        }
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

    /// What came, once all of it has; nil if there were no bytes.
    func received() -> (bytes: any StagedImage, type: ImageType, size: Int64)? {
        state.withLock { state in
            guard let staged = state.staged, let type = state.type else { return nil }
            return (staged, type, state.size)
        }
    }

    private func recognise(_ chunk: [UInt8]) throws(FeedError) -> ImageType {
        if let type = ImageType(signatureOf: chunk) { return type }
        let isPage = LeadingBytes.areBeforeMarkup(in: chunk)
        let reason = isPage ? "a web page or other markup, no image" : "no image of a known type"
        throw .invalidData(reason, host: url.hostAndPort)
    }
}
