package import FeedCore
internal import Hashing

/// Writes feeds of a cache, with their images, as an archive.
package struct CacheExporter: Sendable {
    package init() {}

    /// What `feeds` names, or with none all that is there. `fileName` says how to compress. `progress` is told of each
    /// image.
    package func export(
        _ feeds: [ResourceURL], from snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        progress: @Sendable (ArchiveProgress) -> Void
    ) throws(FeedError) -> ExportReport {
        let plan = try ExportPlan(try Self.choose(feeds, from: snapshot), of: snapshot)
        let writer = try ArchiveWriter(Compression(fileName: fileName), to: target)
        let hash = BackgroundHash()
        var done = ArchiveProgress(imagesOfAll: plan.imageCount, bytesOfAll: plan.byteCount)
        try writer.add(OCILayout.layoutFile, OCILayout.layoutText)
        try writer.add(OCILayout.indexFile, plan.index)
        for blob in plan.blobs {
            if Task.isCancelled { throw .cancelled }
            try writer.begin(OCILayout.blobName(blob.digest), size: blob.size)
            switch blob.source {
            case .image:
                try copy(blob, from: snapshot, to: writer, hash)
                done.images += 1
            case .document(let number):
                try ExportPlan.forEachPiece(of: plan.feeds[number].summary, in: snapshot) { piece throws(FeedError) in
                    try writer.write(piece)
                }
            case .manifest(let feed, let part):
                try writer.write(try plan.manifest(feed: feed, part: part, in: snapshot))
            }
            done.bytes += blob.size
            progress(done)
        }
        try hash.finish()
        try writer.finish()
        try target.commit()
        return ExportReport(feeds: plan.feeds.count, images: plan.imageCount, bytes: plan.byteCount)
    }

    private static func choose(
        _ feeds: [ResourceURL], from snapshot: any CacheSnapshot
    ) throws(FeedError) -> [FeedSummary] {
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

    /// The bytes are hashed while they are written: an image that turns out damaged fails the export as a whole.
    private func copy(
        _ blob: ExportPlan.Blob, from snapshot: any CacheSnapshot, to writer: ArchiveWriter, _ hash: BackgroundHash
    ) throws(FeedError) {
        let isWhole = try snapshot.forEachChunk(of: blob.digest, size: blob.size) { chunk throws(FeedError) in
            try hash.append(chunk)
            try writer.write(chunk)
        }
        guard isWhole else { throw Self.damaged(blob.digest) }
        try hash.end { found throws(FeedError) in
            guard found == blob.digest else { throw Self.damaged(blob.digest) }
        }
    }

    private static func damaged(_ digest: Digest) -> FeedError {
        .invalidData(
            "the image \(digest.hex) is damaged or gone; run `feedsync validate --deep`, then sync to have it again")
    }
}
