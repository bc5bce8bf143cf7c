internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Brings blobs in, one after another: what the caller adds is hashed, many blobs side by side, and what is as it should
/// be is handed to the cache by another thread. The hashing is done by the caller while it waits for that one to give
/// back a buffer, and else by that one.
final class BlobsIn {
    /// One is being filled, one hashed and one handed on, and one is next.
    private static let buffers = 4

    private let target: any BlobIntake
    private let digests = DigestChecks()
    private let failure = SharedFailure()
    private let writing = DispatchQueue(label: "feedsync.writing")
    private let unused = UnusedBuffers(buffers)
    /// Of what was handed on and may not be hashed yet, in that order.
    private var hashings: [Job<Void>] = []
    private var batch: BlobBatch
    private var blob: (digest: Digest, size: Int64)?
    /// Where the next bytes go: the part in which they are, and how much of it is there.
    private var part: BlobBatch.Part?
    private var filled = 0
    /// Of the blob begun last; nil while it isn't known, or where it is no image.
    private(set) var type: ImageType?

    init(_ target: any BlobIntake) {
        self.target = target
        batch = BlobBatch(buffer: unused.take())
    }

    /// Exactly `size` bytes follow. Throws what went wrong before, with this blob or others.
    func begin(_ digest: Digest, size: Int64) throws(FeedError) {
        blob = (digest, size)
        type = nil
        try beginPart(from: 0)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let part else { throw .storage(.failed, "a blob has more bytes than were announced") }
            let place = batch.buffer.bytes[part.place].dropFirst(filled)
            let fitting = rest.prefix(place.count)
            UnsafeMutableRawBufferPointer(rebasing: place).copyMemory(from: .init(rebasing: fitting))
            filled += fitting.count
            rest = rest.dropFirst(fitting.count)
            if filled == part.place.count { try endPart(part) }
        }
    }

    /// Waits until the cache has all. Throws what went wrong.
    func finish() throws(FeedError) {
        if !batch.parts.isEmpty { handOn() }
        for hashing in hashings { hashing.perform() }
        wait()
        try failure.check()
    }

    /// Returns when nothing more is handed to the cache.
    func wait() {
        writing.sync {}
    }

    private func beginPart(from offset: Int64) throws(FeedError) {
        guard let blob else { return }
        filled = 0
        part = batch.addPart(of: blob.digest, size: blob.size, from: offset)
        if part != nil { return }
        handOn()
        try failure.check()
        batch = BlobBatch(buffer: unusedBuffer())
        part = batch.addPart(of: blob.digest, size: blob.size, from: offset)
    }

    private func endPart(_ part: BlobBatch.Part) throws(FeedError) {
        self.part = nil
        // However a blob is cut into chunks: this is more of it than is looked at, or all.
        if part.offset == 0 { type = ImageType(signatureOf: batch.bytes(of: part)) }
        if !part.isEnd { try beginPart(from: part.offset + Int64(part.place.count)) }
    }

    private func handOn() {
        let hashing = digests.check(batch) { digest, found in
            .invalidData("\(OCILayout.blobName(digest)): its bytes have another digest, \(found.hex)")
        }
        hashings.removeAll(where: \.isDone)
        if batch.isOfWholeBlobs { hashings.append(hashing) }
        writing.async { [batch, failure, target, unused] in
            // Also after a failure: the buffer is read until then.
            hashing.finish()
            failure.remembering { () throws(FeedError) in
                try hashing.outcome()
                for part in batch.parts {
                    try target.add(batch.bytes(of: part), to: part.digest, from: part.offset, isEnd: part.isEnd)
                }
            }
            unused.give(batch.buffer)
        }
    }

    private func unusedBuffer() -> BatchBuffer {
        while true {
            if let buffer = unused.takeAny() { return buffer }
            if hashings.isEmpty { return unused.take() }
            hashings.removeFirst().perform()
        }
    }
}

/// Buffers that wait to be filled. Who takes one waits until there is one.
private final class UnusedBuffers: Sendable {
    private let buffers: Mutex<[BatchBuffer]>
    private let count: DispatchSemaphore

    init(_ count: Int) {
        buffers = Mutex((0..<count).map { _ in BatchBuffer() })
        self.count = DispatchSemaphore(value: 0)
        for _ in 0..<count { self.count.signal() }
    }

    func take() -> BatchBuffer {
        count.wait()
        return pop()
    }

    /// Nil where there is none now.
    func takeAny() -> BatchBuffer? { count.wait(timeout: .now()) == .success ? pop() : nil }

    private func pop() -> BatchBuffer { buffers.withLock { $0.popLast() } ?? BatchBuffer() }

    func give(_ buffer: BatchBuffer) {
        buffers.withLock { $0.append(buffer) }
        count.signal()
    }
}
