package import FeedCore

/// Writes feeds of a cache, with their images, as an archive.
package struct CacheExporter: Sendable {
    package init() {}

    /// Exports the given feeds, or every saved feed if `feeds` is empty. The suffix of `fileName` chooses the
    /// compression. `progress` is called after each blob.
    package func export(
        _ feeds: [ResourceURL], from snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport {
        let plan = try ExportPlan(try Self.choose(feeds, from: snapshot), in: snapshot)
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
}
