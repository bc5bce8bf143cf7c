internal import Dispatch
internal import FeedCore

/// The bytes of images one after another: while the caller is at some of them, one thread reads the next, and another
/// hashes what was read, many images side by side.
final class ImagesAhead {
    /// What was asked to be read.
    private struct Reading {
        let batch: BlobBatch
        /// Both are signalled also when something failed.
        let isRead = DispatchSemaphore(value: 0)
        let isHashed = DispatchSemaphore(value: 0)
    }

    /// One is being used, one hashed and one read, and one that waits to be.
    private static let buffers = 4

    private let source: any ImageBytes
    private let digests = DigestCheck()
    private let failure = SharedFailure()
    private let reading = DispatchQueue(label: "feedsync.reading")
    private let hashing = DispatchQueue(label: "feedsync.hashing")
    private var blobs: ArraySlice<ExportPlan.Blob>
    /// How much of the first of them is asked for already.
    private var offset: Int64 = 0
    private var ahead: [Reading] = []
    private var unused = (0..<buffers).map { _ in BatchBuffer() }
    private var current: Reading?
    private var parts: ArraySlice<BlobBatch.Part> = []

    /// Of blobs that are no images nothing is read.
    init(_ blobs: [ExportPlan.Blob], from source: any ImageBytes) {
        self.blobs = blobs[...]
        self.source = source
        readAhead()
    }

    /// Visits the bytes of the next image, a chunk at a time, which stay where they are until others take their place:
    /// `beforeReuse` is called first. Throws if the image is damaged, or one before it was.
    func next(
        beforeReuse: () throws(FeedError) -> Void, _ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void
    ) throws(FeedError) {
        while true {
            if parts.isEmpty {
                try beforeReuse()
                try goOn()
            }
            guard let part = parts.popFirst(), let current else { return }
            try visit(current.batch.bytes(of: part))
            if part.isEnd { return }
        }
    }

    /// Waits until all that was read is hashed. Throws if anything of it is damaged.
    func finish() throws(FeedError) {
        reading.sync {}
        hashing.sync {}
        try failure.check()
    }

    private func goOn() throws(FeedError) {
        if let current {
            current.isHashed.wait()
            unused.append(current.batch.buffer)
        }
        current = nil
        readAhead()
        guard !ahead.isEmpty else { throw .storage(.failed, "there are no more images") }
        let next = ahead.removeFirst()
        next.isRead.wait()
        try failure.check()
        current = next
        parts = next.batch.parts[...]
    }

    private func readAhead() {
        while let buffer = unused.last, let batch = nextBatch(in: buffer) {
            unused.removeLast()
            let next = Reading(batch: batch)
            ahead.append(next)
            reading.async { [source, failure, digests, hashing] in
                failure.remembering { () throws(FeedError) in try Self.read(batch, from: source) }
                next.isRead.signal()
                hashing.async {
                    failure.remembering { () throws(FeedError) in
                        try digests.check(batch) { digest, _ in Self.damaged(digest) }
                    }
                    next.isHashed.signal()
                }
            }
        }
    }

    /// As many images as fit into a buffer, or a part of one that doesn't. Nil at the end.
    private func nextBatch(in buffer: BatchBuffer) -> BlobBatch? {
        var batch = BlobBatch(buffer: buffer)
        while let blob = blobs.first {
            if blob.source == .image {
                guard let part = batch.addPart(of: blob.digest, size: blob.size, from: offset) else { break }
                offset += Int64(part.place.count)
                guard part.isEnd else { break }
            }
            blobs.removeFirst()
            offset = 0
        }
        return batch.parts.isEmpty ? nil : batch
    }

    private static func read(_ batch: BlobBatch, from source: any ImageBytes) throws(FeedError) {
        for part in batch.parts {
            let place = UnsafeMutableRawBufferPointer(rebasing: batch.buffer.bytes[part.place])
            let isThere = try source.read(part.digest, size: part.size, from: part.offset, into: place)
            guard isThere else { throw damaged(part.digest) }
        }
    }

    private static func damaged(_ digest: Digest) -> FeedError {
        .invalidData(
            "the image \(digest.hex) is damaged or gone; run `feedsync validate --deep`, then sync to have it again")
    }
}
