internal import Dispatch
internal import FeedCore
internal import Synchronization

/// The bytes of images one after another, read and hashed by a thread of their own while the caller is at those before,
/// and by the caller while it would wait for them.
final class ImagesAhead {
    /// One is used, one read and hashed by each of the two, and one is next.
    private static let buffers = 4

    private let reader: ImageReader
    private let queue = DispatchQueue(label: "feedsync.reading")
    private let digests = DigestChecks()
    private var images: ArraySlice<ExportPlan.Blob>
    /// How much of the first of them is asked for already.
    private var offset: Int64 = 0
    private var ahead: [BatchAhead] = []
    private var unused = (0..<buffers).map { _ in BatchBuffer() }
    private var current: BlobBatch?
    private var parts: ArraySlice<BlobBatch.Part> = []

    init(_ images: [ExportPlan.Blob], from source: any ImageBytes) {
        self.images = images[...]
        reader = ImageReader(source)
        readAhead()
    }

    /// Visits the bytes of the next image, a chunk at a time, which stay where they are until others take their place:
    /// `beforeReuse` is called first. Throws if the image is damaged, or one of those next to it is.
    func next(
        beforeReuse: () throws(FeedError) -> Void, _ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void
    ) throws(FeedError) {
        while true {
            if parts.isEmpty {
                try beforeReuse()
                try goOn()
            }
            guard let part = parts.popFirst(), let current else { return }
            try visit(current.bytes(of: part))
            if part.isEnd { return }
        }
    }

    /// Nothing is read any more when this returns.
    func stop() {
        reader.stop()
        queue.sync {}
        digests.wait()
    }

    private func goOn() throws(FeedError) {
        if let current { unused.append(current.buffer) }
        current = nil
        readAhead()
        guard !ahead.isEmpty else { throw .storage(.failed, "there are no more images") }
        let next = ahead.removeFirst()
        // While the other thread is at it, what comes after.
        for later in ahead where !next.check.isDone { later.perform() }
        try next.check.outcome()
        current = next.batch
        parts = next.batch.parts[...]
    }

    private func readAhead() {
        while let buffer = unused.last, let batch = nextBatch(in: buffer) {
            unused.removeLast()
            let reading = Job { [reader] () throws(FeedError) in try reader.read(batch) }
            let check = digests.check(batch, after: reading) { digest, _ in ImageReader.damaged(digest) }
            let next = BatchAhead(batch: batch, reading: reading, check: check)
            ahead.append(next)
            queue.async { next.perform() }
        }
    }

    /// As many images as fit into a buffer, or a part of one that doesn't. Nil at the end.
    private func nextBatch(in buffer: BatchBuffer) -> BlobBatch? {
        var batch = BlobBatch(buffer: buffer)
        while let image = images.first,
            let part = batch.addPart(of: image.digest, size: image.size, from: offset)
        {
            offset += Int64(part.place.count)
            guard part.isEnd else { break }
            images.removeFirst()
            offset = 0
        }
        return batch.parts.isEmpty ? nil : batch
    }
}

/// A batch that is read, and then found to be as it should be.
private struct BatchAhead: Sendable {
    let batch: BlobBatch
    let reading: Job<Void>
    let check: Job<Void>

    /// As much as needs nothing else.
    func perform() {
        if batch.isOfWholeBlobs { check.perform() } else { reading.perform() }
    }
}

/// Reads, on any thread.
private final class ImageReader: Sendable {
    private let source: any ImageBytes
    private let isStopped = Atomic(false)

    init(_ source: any ImageBytes) { self.source = source }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func read(_ batch: BlobBatch) throws(FeedError) {
        for part in batch.parts {
            if isStopped.load(ordering: .relaxed) { throw .cancelled }
            let place = UnsafeMutableRawBufferPointer(rebasing: batch.buffer.bytes[part.place])
            let isThere = try source.read(part.digest, size: part.size, from: part.offset, into: place)
            guard isThere else { throw Self.damaged(part.digest) }
        }
    }

    static func damaged(_ digest: Digest) -> FeedError {
        .invalidData("the image \(digest.hex) is damaged or gone")
            .hinting("run `feedsync validate --deep`, then sync to have it again")
    }
}
