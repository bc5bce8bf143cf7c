internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Passes batches from a thread that reads and hashes to a thread that writes.
///
/// The reader is at most a few batches ahead. One end runs on its own thread; when either end fails, the other one
/// receives the failure.
final class Pipeline: Sendable {
    private struct State {
        var batches: [BlobBatch] = []
        /// Empty batches for reuse, because page faults of fresh memory cost more than the work itself.
        var unused: [BlobBatch] = []
        var failure: FeedError?
    }

    /// The number of batches in the queue.
    ///
    /// The reader fills another one, and the writer empties a fourth.
    private static let mostAhead = 2

    private let state = Mutex(State())
    /// Counts the batches that may be put.
    ///
    /// It is increased once more at the end.
    private let freeSlots = DispatchSemaphore(value: 0)
    /// Counts the batches that may be taken.
    ///
    /// It is increased once more at the end.
    private let filledSlots = DispatchSemaphore(value: 0)
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
        for _ in 0..<Self.mostAhead { freeSlots.signal() }
    }

    /// Runs one of the ends on its own thread, and finishes the pipeline after it.
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

    /// Waits for the end of that thread.
    func wait() { queue.sync {} }

    /// Returns an empty batch.
    func emptyBatch() -> BlobBatch { state.withLock { $0.unused.popLast() } ?? BlobBatch() }

    /// Takes back a batch whose bytes were written.
    func reuse(_ batch: BlobBatch) {
        batch.clear()
        state.withLock { $0.unused.append(batch) }
    }

    /// Adds a batch after waiting for a free slot.
    ///
    /// Throws the failure of the other end.
    func put(_ batch: BlobBatch) throws(FeedError) {
        freeSlots.wait()
        do throws(FeedError) {
            try change { $0.append(batch) }
        } catch {
            freeSlots.signal()
            throw error
        }
        filledSlots.signal()
    }

    /// Waits for a batch.
    ///
    /// Returns nil after the last one. Throws the failure of the other end.
    func take() throws(FeedError) -> BlobBatch? {
        filledSlots.wait()
        var batch: BlobBatch?
        defer { (batch == nil ? filledSlots : freeSlots).signal() }
        try change { batch = $0.isEmpty ? nil : $0.removeFirst() }
        return batch
    }

    /// Marks the batches as complete.
    func finish() { filledSlots.signal() }

    /// Stops the pipeline with a failure.
    func fail(_ failure: FeedError) {
        state.withLock { $0.failure = $0.failure ?? failure }
        freeSlots.signal()
        filledSlots.signal()
    }

    /// Throws the failure of the pipeline, if there is one.
    func check() throws(FeedError) { try change { _ in } }

    private func change(_ work: (inout [BlobBatch]) -> Void) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure { throw failure }
            work(&state.batches)
        }
    }
}

/// Consecutive blobs, or a slice of a large one: the unit that a pipeline passes on.
///
/// Unchecked: one thread at a time owns the batch, and it stops using the batch when it passes it on.
final class BlobBatch: @unchecked Sendable {
    struct Slice {
        let digest: Digest
        /// The position of the slice in its blob.
        let offset: Int64
        /// Whether the blob ends with this slice.
        let isEnd: Bool
        /// The position of the slice in the batch.
        let range: Range<Int>
    }

    /// The size of a batch, which is enough for some dozen usual images.
    private static let size = 2 << 20

    private(set) var slices: [Slice] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private var filled = 0

    deinit { buffer.deallocate() }

    /// Returns whether a blob of this size belongs in the next batch.
    ///
    /// A blob that fits into a batch is stored whole.
    func isFull(for size: Int64) -> Bool {
        !slices.isEmpty && size > room.count || room.isEmpty
    }

    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]) }

    /// Marks the first bytes of the room as filled.
    func fill(_ count: Int) { filled += count }

    /// Assigns the bytes filled since the previous slice to a blob.
    @discardableResult
    func endSlice(of digest: Digest, from offset: Int64, isEnd: Bool) -> Slice {
        let range = (slices.last?.range.upperBound ?? 0)..<filled
        let slice = Slice(digest: digest, offset: offset, isEnd: isEnd, range: range)
        slices.append(slice)
        return slice
    }

    func clear() {
        slices.removeAll(keepingCapacity: true)
        filled = 0
    }

    func bytes(of slice: Slice) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[slice.range]) }
}
