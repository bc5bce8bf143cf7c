internal import FeedCore
internal import Hashing

/// Imports blobs one after another: the caller reads and hashes them, and a separate thread writes them.
final class BlobImporter {
    private let pipeline = Pipeline("feedsync.writing")
    private var batch: BlobBatch

    init(_ target: any BlobIntake) {
        batch = pipeline.emptyBatch()
        pipeline.run { pipeline throws(FeedError) in
            while let batch = try pipeline.take() {
                for slice in batch.slices {
                    try target.add(batch.bytes(of: slice), to: slice.digest, from: slice.offset, isEnd: slice.isEnd)
                }
                pipeline.reuse(batch)
            }
        }
    }

    /// Imports the current entry of the reader.
    ///
    /// Returns the type of an image, or nil for another blob. Throws the failure of an earlier blob as well.
    func add(_ digest: Digest, from reader: ArchiveReader) throws(FeedError) -> ImageType? {
        let hash = try SHA256()
        var type: ImageType?
        var offset: Int64 = 0
        var position: Int64 = 0
        func endSlice(isEnd: Bool) {
            let slice = batch.endSlice(of: digest, from: offset, isEnd: isEnd)
            // The first slice is the whole blob, or longer than every signature.
            if offset == 0 { type = ImageType(signatureOf: batch.bytes(of: slice)) }
            offset = position
        }
        if batch.isFull(for: reader.size) { try handOn() }
        try reader.forEachChunk { chunk throws(FeedError) in
            try hash.update(chunk)
            var rest = chunk[...]
            while !rest.isEmpty {
                if batch.room.isEmpty {
                    endSlice(isEnd: false)
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
        endSlice(isEnd: true)
        return type
    }

    /// Waits until every blob is written.
    ///
    /// Throws the failure of any of them.
    func finish() throws(FeedError) {
        try handOn()
        pipeline.finish()
        pipeline.wait()
        try pipeline.check()
    }

    /// Stops the thread and waits for its end.
    func stop() {
        pipeline.fail(.cancelled)
        pipeline.wait()
    }

    private func handOn() throws(FeedError) {
        try pipeline.put(batch)
        batch = pipeline.emptyBatch()
    }
}
