package import FeedCore
internal import Hashing

/// Writes feeds of a cache, with their images, as an archive.
package struct CacheExporter: Sendable {
    package init() {}

    /// Exports the given feeds, or every saved feed if `feeds` is empty.
    ///
    /// The suffix of `fileName` chooses the compression. With `leftOut`, the archive is thin and lacks the images that
    /// have these digests. `progress` is called after each blob.
    package func export(
        _ feeds: [ResourceURL], from snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        without leftOut: Set<Digest>? = nil, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport {
        let plan = try ExportPlan(try Self.choose(feeds, from: snapshot), in: snapshot, without: leftOut)
        let images = ImageReadAhead(plan.images, from: snapshot.bytes)
        defer { images.stop() }
        let writer = try ArchiveWriter(Compression(fileName: fileName), to: target)
        var soFar = Progress(total: plan.images.count)
        try writer.add(OCILayout.layoutFile, OCILayout.layoutText)
        try writer.add(OCILayout.indexFile, plan.index)
        try plan.forEachBlob { blob throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            try writer.begin(OCILayout.blobName(blob.digest), size: blob.size)
            switch blob.kind {
            case .image:
                try images.next { bytes throws(FeedError) in try writer.write(bytes) }
                soFar.done += 1
            case .document, .manifest:
                try plan.forEachPiece(of: blob.kind) { piece throws(FeedError) in try writer.write(piece) }
            }
            soFar.bytes += blob.size
            progress(soFar)
        }
        try writer.finish()
        try target.commit()
        return ExportReport(feeds: plan.feedCount, images: plan.images.count, bytes: plan.byteCount)
    }

    private static func choose(
        _ feeds: [ResourceURL], from snapshot: any CacheSnapshot
    ) throws(FeedError) -> [FeedHead] {
        let saved = try snapshot.feeds()
        if feeds.isEmpty {
            guard !saved.isEmpty else { throw .notFound("there is nothing to export: the cache holds no feed") }
            return saved
        }
        let wanted = Set(feeds.map(\.key))
        let found = saved.filter { wanted.contains($0.url.key) }
        let keys = Set(found.map(\.url.key))
        for feed in feeds where !keys.contains(feed.key) { throw .notFound("\(feed): was never saved") }
        return found
    }
}

/// The bytes of images, one image after another.
///
/// A separate thread reads the next images and checks them against their digests while the caller writes the previous
/// ones.
final class ImageReadAhead {
    private let pipeline = Pipeline("feedsync.reading")
    private var batch: BlobBatch?
    private var slices: ArraySlice<BlobBatch.Slice> = []

    init(_ images: [ExportPlan.PlannedBlob], from source: any ImageBytes) {
        pipeline.run { pipeline throws(FeedError) in
            var batch = pipeline.emptyBatch()
            for image in images {
                let hash = try SHA256()
                var offset: Int64 = 0
                repeat {
                    if batch.isFull(for: image.size) {
                        try pipeline.put(batch)
                        batch = pipeline.emptyBatch()
                    }
                    let room = UnsafeMutableRawBufferPointer(rebasing: batch.room.prefix(Int(image.size - offset)))
                    guard try source.read(image.digest, size: image.size, from: offset, into: room) else {
                        throw Self.damaged(image)
                    }
                    try hash.update(UnsafeRawBufferPointer(room))
                    batch.fill(room.count)
                    let end = offset + Int64(room.count)
                    if end == image.size, try hash.finish() != image.digest { throw Self.damaged(image) }
                    batch.endSlice(of: image.digest, from: offset, isEnd: end == image.size)
                    offset = end
                } while offset < image.size
            }
            try pipeline.put(batch)
        }
    }

    /// Visits the bytes of the next image in chunks.
    ///
    /// Throws if this image is damaged, or one of the following ones that were read ahead.
    func next(_ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void) throws(FeedError) {
        while true {
            if slices.isEmpty {
                if let batch { pipeline.reuse(batch) }
                batch = try pipeline.take()
                slices = batch?.slices[...] ?? []
            }
            guard let batch, let slice = slices.popFirst() else { throw .storage(.failed, "there are no more images") }
            try visit(batch.bytes(of: slice))
            if slice.isEnd { return }
        }
    }

    /// Stops the thread and waits for its end.
    func stop() {
        pipeline.fail(.cancelled)
        pipeline.wait()
    }

    private static func damaged(_ image: ExportPlan.PlannedBlob) -> FeedError {
        .invalidData("the image \(image.digest.hex) is damaged or gone")
            .hinting("run `feedsync validate --deep`, then sync to have it again")
    }
}
