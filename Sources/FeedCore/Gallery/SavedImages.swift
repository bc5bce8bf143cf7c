/// Reads the saved feeds, fresh or stale, for a gallery or a tree.
private struct SavedImages: Sendable {
    let cache: Cache
    let maxAge: @Sendable (ResourceURL) -> MaxAge
    let now: @Sendable () -> Timestamp

    /// Returns the feeds, or all saved feeds if `urls` is empty, and their files, which stay as long as the result
    /// exists.
    ///
    /// Throws `notFound` for a feed that was never saved.
    func load(
        _ urls: [ResourceURL], lockWait: Duration
    ) async throws(FeedError) -> (feeds: [GalleryFeed], files: any ImageFiles) {
        // The files are held before the first lookup, so that every image that is found can be linked.
        let files = try await cache.images.files(lockWait: lockWait)
        var feeds: [GalleryFeed] = []
        var seen: Set<ResourceURL.Key> = []
        for url in urls.isEmpty ? try await cache.feeds.summaries().map(\.url) : urls {
            if Task.isCancelled { throw .cancelled }
            guard seen.insert(url.key).inserted else { continue }
            if let feed = try await load(url, isNamed: !urls.isEmpty) { feeds.append(feed) }
        }
        return (feeds, files)
    }

    private func load(_ url: ResourceURL, isNamed: Bool) async throws(FeedError) -> GalleryFeed? {
        guard let saved = try await cache.feeds.retrieve(url, withKept: true) else {
            // Another run can delete a feed after it was listed.
            if isNamed { throw .notFound("\(url): this feed was never saved; sync it first") }
            return nil
        }
        let images = saved.feed.images + saved.kept
        let found = try await cache.images.find(images, of: saved.url)
        let missing = zip(images, found).filter { $1 == nil }.map(\.0)
        var lost = try await cache.images.findRecords(of: missing, of: saved.url)[...]
        var failures = try await cache.images.failures(of: missing.map(\.url), in: saved.url)[...]
        let galleryImages = zip(images, found).map { image, stored in
            if let stored { return GalleryImage(image: image, data: .stored(stored)) }
            let failure = failures.popFirst() ?? nil
            return GalleryImage(
                image: image, data: .missing(reason: failure?.error.message, lost: lost.popFirst() ?? nil))
        }
        let maxAge = maxAge(url)
        return GalleryFeed(
            saved.head, images: galleryImages, maxAge: maxAge,
            isFresh: FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now(), maxAge: maxAge))
    }
}

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

    /// Writes the gallery of these feeds, or of all saved feeds if there are none.
    ///
    /// Throws `notFound` for a feed that was never saved.
    package func write(
        _ urls: [ResourceURL], to target: OutputTarget, _ options: GalleryOptions = GalleryOptions(),
        progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        let (feeds, files) = try await saved.load(urls, lockWait: target.lockWait)
        return try await writer.write(feeds, images: files, to: target, options, progress: progress)
    }
}

/// Use case: lays the saved images out as files with names that people read.
package struct FeedTree: Sendable {
    private let saved: SavedImages
    private let writer: any TreeWriter

    package init(cache: Cache, writer: any TreeWriter, now: @escaping @Sendable () -> Timestamp) {
        saved = SavedImages(cache: cache, maxAge: { _ in .forever }, now: now)
        self.writer = writer
    }

    /// Lays out these feeds, or all saved feeds if there are none.
    ///
    /// Throws `notFound` for a feed that was never saved.
    package func write(
        _ urls: [ResourceURL], to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport {
        let (feeds, files) = try await saved.load(urls, lockWait: target.lockWait)
        // Sorted feeds get distinct names in the same order in every run.
        return try await writer.write(feeds.sorted { $0.url.text < $1.url.text }, images: files, to: target, options)
    }
}
