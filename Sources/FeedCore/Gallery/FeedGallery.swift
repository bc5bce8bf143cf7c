/// Use case: writes the saved feeds as a web site.
package struct FeedGallery: Sendable {
    private let saved: SavedImages
    private let writer: any GalleryWriter

    package init(
        cache: Cache, writer: any GalleryWriter, maxAge: @escaping @Sendable (_ feed: ResourceURL) -> MaxAge,
        now: @escaping @Sendable () -> Timestamp
    ) {
        saved = SavedImages(cache: cache, maxAge: maxAge, now: now)
        self.writer = writer
    }

    /// `urls` are the feeds to show; with none, all saved feeds. Throws `notFound` for a feed that was never saved.
    package func write(
        _ urls: [ResourceURL], to target: OutputTarget, _ options: GalleryOptions = GalleryOptions(),
        progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        let (feeds, files) = try await saved.load(urls, lockWait: target.lockWait)
        return try await writer.write(feeds, images: files, to: target, options, progress: progress)
    }
}
