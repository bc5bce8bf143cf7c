internal import FeedCore
internal import Hashing
internal import Synchronization

/// Blobs, or a part of a large one, that lie one behind the other in a buffer.
struct BlobBatch: Sendable {
    struct Part {
        let digest: Digest
        /// Of the blob as a whole.
        let size: Int64
        /// Where the part begins in the blob.
        let offset: Int64
        /// Where it lies in the buffer.
        let place: Range<Int>

        var isWhole: Bool { place.count == size }
        var isEnd: Bool { offset + Int64(place.count) == size }
    }

    private(set) var parts: [Part] = []
    let buffer: BatchBuffer

    /// Then it can be hashed before or after any other, and beside them.
    var isOfWholeBlobs: Bool { parts.allSatisfy(\.isWhole) }

    var room: Int { BatchBuffer.size - (parts.last?.place.upperBound ?? 0) }

    /// The next part of a blob, as much as there is room for; nil if that isn't much, and the next batch has more.
    mutating func addPart(of digest: Digest, size: Int64, from offset: Int64) -> Part? {
        let left = size - offset
        guard left <= room || parts.isEmpty else { return nil }
        let start = BatchBuffer.size - room
        let count = Int(min(left, Int64(room)))
        let part = Part(digest: digest, size: size, offset: offset, place: start..<start + count)
        parts.append(part)
        return part
    }

    func bytes(of part: Part) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.bytes[part.place])
    }
}

/// Unchecked: who has it writes to it before anybody else looks at it, and not after.
final class BatchBuffer: @unchecked Sendable {
    /// Some dozen usual images: with fewer, more of the lanes that hash them are idle at the end.
    static let size = 2 << 20

    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)

    deinit { bytes.deallocate() }
}

/// Checks blobs against their digests, those that are whole side by side. On any thread; batches with parts of a blob
/// come one after another, in their order.
final class DigestCheck: Sendable {
    /// Of a blob that is larger than a buffer.
    private let hash = Mutex<SHA256?>(nil)

    /// `mismatch` says what is wrong when a blob has another digest, the second one.
    func check(_ batch: BlobBatch, _ mismatch: (Digest, Digest) -> FeedError) throws(FeedError) {
        for part in batch.parts where !part.isWhole {
            if let found = try digest(of: part, in: batch), found != part.digest { throw mismatch(part.digest, found) }
        }
        let whole = batch.parts.filter(\.isWhole)
        for (part, found) in zip(whole, ManyDigests.of(whole.map(batch.bytes))) {
            let found = try found.get()
            guard found == part.digest else { throw mismatch(part.digest, found) }
        }
    }

    /// Nil before the end.
    private func digest(of part: BlobBatch.Part, in batch: BlobBatch) throws(FeedError) -> Digest? {
        try hash.withLock { hash throws(FeedError) in
            if part.offset == 0 { hash = try SHA256() }
            try hash?.update(batch.bytes(of: part))
            return part.isEnd ? try hash?.finish() : nil
        }
    }
}
