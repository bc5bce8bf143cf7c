internal import Dispatch
internal import FeedCore
internal import Hashing
internal import Synchronization

/// Images, or a part of a large one, that are read at once.
final class ImageBatch: Sendable {
    struct Part {
        let image: ImagesAhead.Image
        /// Where it begins in the image.
        let offset: Int64
        /// Where it lies in the buffer.
        let place: Range<Int>

        var isWhole: Bool { place.count == image.size }
        var isEnd: Bool { offset + Int64(place.count) == image.size }
    }

    let parts: [Part]
    let buffer: BatchBuffer
    /// Both are signalled also when something failed.
    let isRead = DispatchSemaphore(value: 0)
    let isHashed = DispatchSemaphore(value: 0)

    init(_ parts: [Part], in buffer: BatchBuffer) {
        self.parts = parts
        self.buffer = buffer
    }
}

/// Unchecked: its batch's reader writes to it, and has done so before anybody else looks at it.
final class BatchBuffer: @unchecked Sendable {
    /// Some dozen usual images.
    static let size = 2 << 20

    fileprivate let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)

    deinit { bytes.deallocate() }

    subscript(place: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[place]) }
}

/// Reads batches, and checks every image against its digest.
final class BatchReader: Sendable {
    private struct State {
        /// Of an image that is larger than a buffer.
        var hash: SHA256?
        /// The first thing that went wrong; nothing is read after it.
        var failure: FeedError?
    }

    private let source: any ImageBytes
    private let state = Mutex(State())

    init(_ source: any ImageBytes) { self.source = source }

    func check() throws(FeedError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// To be called for one batch after another.
    func read(_ batch: ImageBatch) {
        remembering { () throws(FeedError) in try fill(batch) }
        batch.isRead.signal()
    }

    /// Likewise, for a batch that was read.
    func hash(_ batch: ImageBatch) {
        remembering { () throws(FeedError) in try check(batch) }
        batch.isHashed.signal()
    }

    private func remembering(_ work: () throws(FeedError) -> Void) {
        do throws(FeedError) {
            try check()
            try work()
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func fill(_ batch: ImageBatch) throws(FeedError) {
        for part in batch.parts {
            let place = UnsafeMutableRawBufferPointer(rebasing: batch.buffer.bytes[part.place])
            let (digest, size) = (part.image.digest, part.image.size)
            guard try source.read(digest, size: size, from: part.offset, into: place) else { throw damaged(digest) }
        }
    }

    private func check(_ batch: ImageBatch) throws(FeedError) {
        for part in batch.parts where !part.isWhole { try check(part, in: batch.buffer) }
        let whole = batch.parts.filter(\.isWhole)
        for (part, found) in zip(whole, ManyDigests.of(whole.map { batch.buffer[$0.place] })) {
            guard try found.get() == part.image.digest else { throw damaged(part.image.digest) }
        }
    }

    private func check(_ part: ImageBatch.Part, in buffer: BatchBuffer) throws(FeedError) {
        let found = try state.withLock { state throws(FeedError) -> Digest? in
            if part.offset == 0 { state.hash = try SHA256() }
            try state.hash?.update(buffer[part.place])
            return part.isEnd ? try state.hash?.finish() : part.image.digest
        }
        guard found == part.image.digest else { throw damaged(part.image.digest) }
    }

    private func damaged(_ digest: Digest) -> FeedError {
        .invalidData(
            "the image \(digest.hex) is damaged or gone; run `feedsync validate --deep`, then sync to have it again")
    }
}
