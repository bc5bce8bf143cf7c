import Synchronization

/// Holds in memory what is to be delivered rather than stored: the body of a 200, or an image that is staged here.
final class CollectedBytes: BodySink, StagedImage {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    /// Hands over what there is, so that nobody holds it any longer than need be.
    func take() -> [UInt8] {
        collected.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        discard()
        return head.status == HTTPStatus.ok
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) { try append(chunk) }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        collected.withLock { bytes in
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
        }
    }

    func discard() { collected.withLock { $0 = [] } }
}
