package import FeedCore
internal import Synchronization

/// Hashes one body after another on threads of its own, while another thread reads and writes what comes next. Where
/// the processor has no instructions for SHA-256, one thread of hashing alone would be slower than all the rest.
package final class BackgroundHash: Sendable {
    private static let laneCount = 2

    private let lanes: [HashLane]
    /// Of the body under way; nil between two.
    private let current = Mutex<HashLane?>(nil)
    private let failure: FirstFailure

    package init() {
        let failure = FirstFailure()
        self.failure = failure
        lanes = (0..<Self.laneCount).map { _ in HashLane { failure.add($0) } }
    }

    /// Waits while too much is pending. Throws what went wrong before, with these bytes or others.
    package func append(_ chunk: [UInt8]) throws(FeedError) {
        try failure.check()
        lane().add(.chunk(chunk))
    }

    /// The end of one body: `judge` is asked about its digest, some time later.
    package func end(_ judge: @escaping @Sendable (Digest) throws(FeedError) -> Void) throws(FeedError) {
        try failure.check()
        lane().add(.end(judge))
        current.withLock { $0 = nil }
    }

    /// Waits until all is hashed and judged.
    package func finish() throws(FeedError) {
        for lane in lanes { lane.finish() }
        try failure.check()
    }

    /// For a new body, the one with the least to do.
    private func lane() -> HashLane {
        current.withLock { current in
            let lane = current ?? lanes.dropFirst().reduce(lanes[0]) { $1.load < $0.load ? $1 : $0 }
            current = lane
            return lane
        }
    }
}

/// The first thing that went wrong, on whichever thread.
private final class FirstFailure: Sendable {
    private let failure = Mutex<FeedError?>(nil)

    func add(_ error: FeedError) { failure.withLock { $0 = $0 ?? error } }

    func check() throws(FeedError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
