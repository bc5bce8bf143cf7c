internal import Dispatch
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
    /// Some dozen usual images.
    static let size = 2 << 20

    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)

    deinit { bytes.deallocate() }
}

/// Checks blobs against their digests, a batch at a time and on any thread: those that are whole in any order. The parts
/// of a blob come in their order, and as hashing them takes longer than all else, they have a thread of their own.
final class DigestChecks {
    private let hash = HashOfParts()
    private let partsQueue = DispatchQueue(label: "feedsync.hashing")
    /// Of the last batch with a part of a blob.
    private var last: Job<Void>?

    /// Of batches in their order. `filling` brings the bytes that aren't there yet; `mismatch` says what is wrong when a
    /// blob has another digest, the second one.
    func check(
        _ batch: BlobBatch, after filling: Job<Void>? = nil,
        _ mismatch: @escaping @Sendable (Digest, Digest) -> FeedError
    ) -> Job<Void> {
        let earlier = batch.isOfWholeBlobs ? nil : last
        let check = Job { [hash] () throws(FeedError) in
            earlier?.finish()
            try filling?.outcome()
            for part in batch.parts where !part.isWhole {
                if let found = try hash.digest(of: part, in: batch), found != part.digest {
                    throw mismatch(part.digest, found)
                }
            }
            for part in batch.parts where part.isWhole {
                let found = try SHA256.digest(of: batch.bytes(of: part))
                guard found == part.digest else { throw mismatch(part.digest, found) }
            }
        }
        if !batch.isOfWholeBlobs {
            last = check
            partsQueue.async { check.perform() }
        }
        return check
    }

    /// Returns when no part is hashed any more.
    func wait() { partsQueue.sync {} }
}

/// Of a blob that is larger than a buffer, part by part.
private final class HashOfParts: Sendable {
    private let hash = Mutex<SHA256?>(nil)

    /// Nil before the end.
    func digest(of part: BlobBatch.Part, in batch: BlobBatch) throws(FeedError) -> Digest? {
        try hash.withLock { hash throws(FeedError) in
            if part.offset == 0 { hash = try SHA256() }
            try hash?.update(batch.bytes(of: part))
            return part.isEnd ? try hash?.finish() : nil
        }
    }
}
