internal import FeedCore
internal import Hashing

/// The bytes of images one after another. A thread of its own reads the next ones and checks them against their digests
/// while the caller writes those before.
final class ImagesToExport {
    private let pipeline = Pipeline("feedsync.reading")
    private var batch: BlobBatch?
    private var parts: ArraySlice<BlobBatch.Part> = []

    init(_ images: [ExportPlan.Blob], from source: any ImageBytes) {
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
                    let place = UnsafeMutableRawBufferPointer(rebasing: batch.room.prefix(Int(image.size - offset)))
                    guard try source.read(image.digest, size: image.size, from: offset, into: place) else {
                        throw Self.damaged(image)
                    }
                    try hash.update(UnsafeRawBufferPointer(place))
                    batch.fill(place.count)
                    let end = offset + Int64(place.count)
                    if end == image.size, try hash.finish() != image.digest { throw Self.damaged(image) }
                    batch.endPart(of: image.digest, from: offset, isEnd: end == image.size)
                    offset = end
                } while offset < image.size
            }
            try pipeline.put(batch)
        }
    }

    /// Visits the bytes of the next image, a chunk at a time. Throws if it is damaged, or one of those next to it is.
    func next(_ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void) throws(FeedError) {
        while true {
            if parts.isEmpty {
                if let batch { pipeline.reuse(batch) }
                batch = try pipeline.take()
                parts = batch?.parts[...] ?? []
            }
            guard let batch, let part = parts.popFirst() else { throw .storage(.failed, "there are no more images") }
            try visit(batch.bytes(of: part))
            if part.isEnd { return }
        }
    }

    /// Nothing is read any more when this returns.
    func stop() {
        pipeline.fail(.cancelled)
        pipeline.wait()
    }

    private static func damaged(_ image: ExportPlan.Blob) -> FeedError {
        .invalidData("the image \(image.digest.hex) is damaged or gone")
            .hinting("run `feedsync validate --deep`, then sync to have it again")
    }
}
