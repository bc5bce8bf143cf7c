internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Batches on their way from a thread that reads and hashes to one that writes. The reader is at most a few batches ahead.
/// One of the two is a thread of its own; whichever fails tells the other.
final class Pipeline: Sendable {
    private struct State {
        var batches: [BlobBatch] = []
        /// Batches to be filled again: fresh memory costs more than what is done in it.
        var unused: [BlobBatch] = []
        var failure: FeedError?
    }

    /// The reader fills one more, and the writer empties another.
    private static let mostAhead = 2

    private let state = Mutex(State())
    /// Counts the batches that may be put; one more at the end.
    private let places = DispatchSemaphore(value: 0)
    /// Counts the batches that may be taken; one more at the end.
    private let batches = DispatchSemaphore(value: 0)
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
        for _ in 0..<Self.mostAhead { places.signal() }
    }

    /// Runs one of the ends on a thread of its own, and ends the pipeline after it.
    func run(_ end: @escaping @Sendable (Pipeline) throws(FeedError) -> Void) {
        queue.async { [self] in
            do throws(FeedError) {
                try end(self)
                finish()
            } catch {
                fail(error)
            }
        }
    }

    /// Returns when that thread is done.
    func wait() { queue.sync {} }

    /// A batch to be filled.
    func emptyBatch() -> BlobBatch { state.withLock { $0.unused.popLast() } ?? BlobBatch() }

    /// What the batch holds was written.
    func reuse(_ batch: BlobBatch) {
        batch.clear()
        state.withLock { $0.unused.append(batch) }
    }

    /// Waits for a place. Throws what failed at the other end.
    func put(_ batch: BlobBatch) throws(FeedError) {
        places.wait()
        do throws(FeedError) {
            try change { $0.append(batch) }
        } catch {
            places.signal()
            throw error
        }
        batches.signal()
    }

    /// Waits for a batch. Throws what failed at the other end; nil when that put its last one.
    func take() throws(FeedError) -> BlobBatch? {
        batches.wait()
        var batch: BlobBatch?
        defer { (batch == nil ? batches : places).signal() }
        try change { batch = $0.isEmpty ? nil : $0.removeFirst() }
        return batch
    }

    /// The last batch was put.
    func finish() { batches.signal() }

    /// Nothing more goes through.
    func fail(_ failure: FeedError) {
        state.withLock { $0.failure = $0.failure ?? failure }
        places.signal()
        batches.signal()
    }

    /// Throws what failed.
    func check() throws(FeedError) { try change { _ in } }

    private func change(_ work: (inout [BlobBatch]) -> Void) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure { throw failure }
            work(&state.batches)
        }
    }
}
