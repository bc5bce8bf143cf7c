/// Use case: shows what is saved as web pages.
package struct FeedGallery: Sendable {
    private let saved: SavedPictures
    private let cachePath: String
    private let writer: any GalleryWriter
    private let lockWait: Duration
    private let thumbnails: ThumbnailChoice

    package init(
        cache: Cache, at cachePath: String, writer: any GalleryWriter,
        maxAge: @escaping @Sendable (_ feed: ResourceURL) -> MaxAge, lockWait: Duration,
        thumbnails: ThumbnailChoice = .auto, now: @escaping @Sendable () -> Timestamp
    ) {
        saved = SavedPictures(cache: cache, maxAge: maxAge, now: now)
        self.cachePath = cachePath
        self.writer = writer
        self.lockWait = lockWait
        self.thumbnails = thumbnails
    }

    /// `urls` are the feeds to show; with none, all that are saved. Throws `notFound` for one that was never saved.
    package func write(
        _ urls: [ResourceURL], to path: String, progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        let (feeds, files) = try await saved.load(urls, lockWait: lockWait)
        let place = GalleryPlace(path: path, cache: cachePath, lockWait: lockWait, thumbnails: thumbnails)
        return try await writer.write(feeds, images: files, to: place, progress: progress)
    }
}
