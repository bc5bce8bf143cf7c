/// Use case: lays the saved images out as files with names that people read.
package struct FeedTree: Sendable {
    private let saved: SavedImages
    private let writer: any TreeWriter

    package init(cache: Cache, writer: any TreeWriter, now: @escaping @Sendable () -> Timestamp) {
        saved = SavedImages(cache: cache, maxAge: { _ in .forever }, now: now)
        self.writer = writer
    }

    /// `urls` are the feeds to lay out; with none, all saved feeds. Throws `notFound` for a feed that was never saved.
    package func write(
        _ urls: [ResourceURL], to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport {
        let (feeds, files) = try await saved.load(urls, lockWait: target.lockWait)
        // Sorted feeds get distinct names in the same order in every run.
        return try await writer.write(feeds.sorted { $0.url.text < $1.url.text }, images: files, to: target, options)
    }
}
