import FeedCore
import Synchronization

/// Counts the bytes that the transfer thread has handed over and the sinks have not yet received, and keeps their
/// memory for the next bodies.
final class BodyBuffers: Sendable {
    /// The size of a full chunk.
    static let chunkBytes = 128 << 10
    /// The limit for one run.
    private static let mostBytes = 8 << 20
    private static let resumeThreshold = mostBytes / 2
    private static let mostSpareChunks = 64

    private let heldBytes = Atomic(0)
    private let isRoomAwaited = Atomic(false)
    /// Empty chunks that have room.
    ///
    /// Fresh memory costs a page fault for each 4 KB.
    private let spareChunks = Mutex<[[UInt8]]>([])

    /// Tells the transfer thread whether it may hand over more of an incomplete body.
    var hasRoom: Bool { heldBytes.load(ordering: .relaxed) < Self.mostBytes }

    func hold(_ bytes: Int) { heldBytes.add(bytes, ordering: .relaxed) }

    /// Tells the transfer thread whether its paused transfers can resume.
    ///
    /// If it returns false, `release` returns true once they can.
    func awaitRoom() -> Bool {
        isRoomAwaited.store(true, ordering: .sequentiallyConsistent)
        guard heldBytes.load(ordering: .sequentiallyConsistent) <= Self.resumeThreshold else { return false }
        return isRoomAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Releases bytes that no sink needs any more.
    ///
    /// It returns true once when the transfer thread waits for room.
    func release(_ bytes: Int) -> Bool {
        let held = heldBytes.subtract(bytes, ordering: .sequentiallyConsistent).newValue
        return held <= Self.resumeThreshold && isRoomAwaited.load(ordering: .sequentiallyConsistent)
            && isRoomAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Returns an empty full-size chunk.
    func emptyChunk() -> [UInt8] {
        var chunk = spareChunks.withLock { $0.popLast() } ?? []
        chunk.reserveCapacity(Self.chunkBytes)
        return chunk
    }

    /// Keeps the memory of a full-size chunk that its sink has received.
    ///
    /// The sink may keep a smaller one, which is then a whole image.
    func reuse(_ chunk: inout [UInt8]) {
        guard chunk.capacity >= Self.chunkBytes else { return }
        chunk.removeAll(keepingCapacity: true)
        spareChunks.withLock { spare in
            guard spare.count < Self.mostSpareChunks else { return }
            // A swap, because a second reference to the memory would make the next owner copy it.
            spare.append([])
            swap(&spare[spare.count - 1], &chunk)
        }
    }
}
