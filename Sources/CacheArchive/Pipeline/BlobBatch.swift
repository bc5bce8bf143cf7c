internal import FeedCore

/// Blobs one behind the other, or a part of a large one: as much as a pipeline hands over at once. Unchecked: one thread
/// has it at a time, which hands it on and doesn't touch it after that.
final class BlobBatch: @unchecked Sendable {
    struct Part {
        let digest: Digest
        /// Where the part begins in its blob.
        let offset: Int64
        /// The blob ends with this part.
        let isEnd: Bool
        /// Where the part lies in the batch.
        let place: Range<Int>
    }

    /// Enough for some dozen usual images.
    private static let size = 2 << 20

    private(set) var parts: [Part] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private var filled = 0

    deinit { buffer.deallocate() }

    /// A large blob goes on in the next batch; one that fits into a batch is never cut.
    func isFull(for size: Int64) -> Bool {
        !parts.isEmpty && size > room.count || room.isEmpty
    }

    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]) }

    /// Says that the first bytes of the room are filled.
    func fill(_ count: Int) { filled += count }

    /// Says whose bytes those are that were filled since the part before.
    @discardableResult
    func endPart(of digest: Digest, from offset: Int64, isEnd: Bool) -> Part {
        let place = (parts.last?.place.upperBound ?? 0)..<filled
        let part = Part(digest: digest, offset: offset, isEnd: isEnd, place: place)
        parts.append(part)
        return part
    }

    func clear() {
        parts.removeAll(keepingCapacity: true)
        filled = 0
    }

    func bytes(of part: Part) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[part.place]) }
}
