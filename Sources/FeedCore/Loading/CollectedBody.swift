import Synchronization

/// Holds a body in memory, if the answer is a 200.
final class CollectedBody: BodySink {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        collected.withLock { $0 = [] }
        return head.status == HTTPStatus.ok
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) {
        collected.withLock { bytes in
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
        }
    }
}
