/// Use case: lays what is saved out as files with names that people read.
package struct FeedTree: Sendable {
    private let saved: SavedPictures
    private let writer: any TreeWriter

    package init(cache: Cache, writer: any TreeWriter, now: @escaping @Sendable () -> Timestamp) {
        saved = SavedPictures(cache: cache, maxAge: { _ in .forever }, now: now)
        self.writer = writer
    }

    /// `urls` are the feeds to lay out; with none, all that are saved. Throws `notFound` for one that was never saved.
    package func write(_ urls: [ResourceURL], to place: TreePlace) async throws(FeedError) -> TreeReport {
        let (feeds, files) = try await saved.load(urls, lockWait: place.lockWait)
        // Names that meet are told apart in an order that lasts.
        return try await writer.write(feeds.sorted { $0.url.text < $1.url.text }, images: files, to: place)
    }
}
