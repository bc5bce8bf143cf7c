internal import FeedCore
internal import Hashing

/// Brings blobs into a cache, one after another: the caller reads and hashes them, and a thread of its own writes those
/// that are as they should be.
final class ImportedBlobs {
    private let pipeline = Pipeline("feedsync.writing")
    private var batch: BlobBatch

    init(_ target: any BlobIntake) {
        batch = pipeline.emptyBatch()
        pipeline.run { pipeline throws(FeedError) in
            while let batch = try pipeline.take() {
                for part in batch.parts {
                    try target.add(batch.bytes(of: part), to: part.digest, from: part.offset, isEnd: part.isEnd)
                }
                pipeline.reuse(batch)
            }
        }
    }

    /// Brings in the blob that is read next. Answers with its type; nil where it is no image. Throws also what went wrong
    /// with those before.
    func add(_ digest: Digest, from reader: ArchiveReader) throws(FeedError) -> ImageType? {
        let hash = try SHA256()
        var type: ImageType?
        var offset: Int64 = 0
        var position: Int64 = 0
        func endPart(isEnd: Bool) {
            let part = batch.endPart(of: digest, from: offset, isEnd: isEnd)
            // However a blob is cut into chunks: this is more of it than is looked at, or all.
            if offset == 0 { type = ImageType(signatureOf: batch.bytes(of: part)) }
            offset = position
        }
        if batch.isFull(for: reader.size) { try handOn() }
        try reader.forEachChunk { chunk throws(FeedError) in
            try hash.update(chunk)
            var rest = chunk[...]
            while !rest.isEmpty {
                if batch.room.isEmpty {
                    endPart(isEnd: false)
                    try handOn()
                }
                let fitting = rest.prefix(batch.room.count)
                batch.room.copyMemory(from: UnsafeRawBufferPointer(rebasing: fitting))
                batch.fill(fitting.count)
                position += Int64(fitting.count)
                rest = rest.dropFirst(fitting.count)
            }
        }
        let found = try hash.finish()
        guard found == digest else {
            throw .invalidData("\(OCILayout.blobName(digest)): its bytes have another digest, \(found.hex)")
        }
        endPart(isEnd: true)
        return type
    }

    /// Returns when the cache has all. Throws what went wrong.
    func finish() throws(FeedError) {
        try handOn()
        pipeline.finish()
        pipeline.wait()
        try pipeline.check()
    }

    /// Nothing more is handed to the cache when this returns.
    func stop() {
        pipeline.fail(.cancelled)
        pipeline.wait()
    }

    private func handOn() throws(FeedError) {
        try pipeline.put(batch)
        batch = pipeline.emptyBatch()
    }
}
