internal import Dispatch
internal import FeedCore

/// The bytes of images one after another, read and hashed by a thread of their own while the caller is at those before,
/// and by the caller while it would wait for them.
final class ImagesAhead {
    /// One is used, one read and hashed by each of the two, and one is next.
    private static let buffers = 4

    private let reader: ImageReader
    private let queue = DispatchQueue(label: "feedsync.reading")
    private var images: ArraySlice<ExportPlan.Blob>
    /// How much of the first of them is asked for already.
    private var offset: Int64 = 0
    private var ahead: [(batch: BlobBatch, reading: Job<Void>)] = []
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

    private func goOn() throws(FeedError) {
        if let current { unused.append(current.buffer) }
        current = nil
        readAhead()
        guard !ahead.isEmpty else { throw .storage(.failed, "there are no more images") }
        let next = ahead.removeFirst()
        // Parts of a blob are hashed in their order, by the other thread; while it is at them, what comes after is read.
        for job in [next] + ahead where !next.reading.isDone && job.batch.isOfWholeBlobs { job.reading.perform() }
        try next.reading.wait()
        current = next.batch
        parts = next.batch.parts[...]
    }

    private func readAhead() {
        while let buffer = unused.last, let batch = nextBatch(in: buffer) {
            unused.removeLast()
            let reading = Job { [reader] () throws(FeedError) in try reader.read(batch) }
            ahead.append((batch, reading))
            queue.async { reading.perform() }
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

/// Reads and hashes, on any thread.
private struct ImageReader: Sendable {
    let source: any ImageBytes
    private let digests = DigestCheck()

    init(_ source: any ImageBytes) { self.source = source }

    func read(_ batch: BlobBatch) throws(FeedError) {
        for part in batch.parts {
            let place = UnsafeMutableRawBufferPointer(rebasing: batch.buffer.bytes[part.place])
            let isThere = try source.read(part.digest, size: part.size, from: part.offset, into: place)
            guard isThere else { throw damaged(part.digest) }
        }
        try digests.check(batch) { digest, _ in damaged(digest) }
    }

    private func damaged(_ digest: Digest) -> FeedError {
        .invalidData(
            "the image \(digest.hex) is damaged or gone; run `feedsync validate --deep`, then sync to have it again")
    }
}
