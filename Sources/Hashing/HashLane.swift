internal import Dispatch
internal import FeedCore
internal import Synchronization

/// A thread that hashes one body after another.
final class HashLane: Sendable {
    enum Step: Sendable {
        case chunk([UInt8])
        case end(@Sendable (Digest) throws(FeedError) -> Void)

        var bytes: Int {
            switch self {
            case .chunk(let bytes): bytes.count
            case .end: 0
            }
        }
    }

    /// Handed over together: waking the other thread for each small image would take longer than hashing it.
    private struct Batch {
        var steps: [Step] = []
        var bytes = 0

        var isFull: Bool { bytes >= 256 * 1024 || steps.count >= 128 }
    }

    private static let mostPendingBatches = 8

    private let queue = DispatchQueue(label: "feedsync.hashing")
    /// Bounds what is waiting to be hashed, and with it memory.
    private let places = DispatchSemaphore(value: mostPendingBatches)
    private let batch = Mutex(Batch())
    /// Only the queue's thread comes here.
    private let hash = Mutex<SHA256?>(nil)
    private let pending = Atomic<Int>(0)
    private let failed: @Sendable (FeedError) -> Void

    /// `failed` is told what goes wrong.
    init(failed: @escaping @Sendable (FeedError) -> Void) { self.failed = failed }

    /// Bytes that wait here.
    var load: Int { pending.load(ordering: .relaxed) }

    func add(_ step: Step) {
        pending.wrappingAdd(step.bytes, ordering: .relaxed)
        let full = batch.withLock { batch -> [Step]? in
            batch.steps.append(step)
            batch.bytes += step.bytes
            return batch.isFull ? Self.take(&batch) : nil
        }
        if let full { handOver(full) }
    }

    func finish() {
        handOver(batch.withLock { Self.take(&$0) })
        queue.sync {}
    }

    private static func take(_ batch: inout Batch) -> [Step] {
        defer { batch = Batch() }
        return batch.steps
    }

    private func handOver(_ steps: [Step]) {
        places.wait()
        queue.async { [self] in
            do throws(FeedError) {
                for step in steps { try work(step) }
            } catch {
                failed(error)
            }
            places.signal()
        }
    }

    private func work(_ step: Step) throws(FeedError) {
        try hash.withLock { hash throws(FeedError) in
            if hash == nil { hash = try SHA256() }
            switch step {
            case .chunk(let bytes):
                try hash?.update(bytes)
                pending.wrappingSubtract(bytes.count, ordering: .relaxed)
            case .end(let judge):
                if let digest = try hash?.finish() { try judge(digest) }
                hash = nil
            }
        }
    }
}
