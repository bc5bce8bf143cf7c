/// What is saved, fresh or stale, ready to be laid out: the cache is only read.
package struct SavedImages: Sendable {
    private let cache: Cache
    private let maxAge: @Sendable (ResourceURL) -> MaxAge
    private let now: @Sendable () -> Timestamp

    package init(
        cache: Cache, maxAge: @escaping @Sendable (_ feed: ResourceURL) -> MaxAge,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.cache = cache
        self.maxAge = maxAge
        self.now = now
    }

    /// The feeds, or with none all that are saved; and their files, which stay as long as this is kept. Throws `notFound`
    /// for one that was never saved.
    func load(
        _ urls: [ResourceURL], lockWait: Duration
    ) async throws(FeedError) -> (feeds: [GalleryFeed], files: any ImageFiles) {
        // Held from before the first look: what is found now is still there when it is linked.
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
            // One that another run deleted after it was listed is just no longer there.
            if isNamed { throw .notFound("\(url): this feed was never saved; sync it first") }
            return nil
        }
        let images = saved.feed.images + saved.kept
        let found = try await cache.images.find(images, for: Viewer(saved.url))
        let missing = zip(images, found).filter { $1 == nil }.map(\.0.url)
        var failures = try await cache.images.failures(of: missing, for: Viewer(saved.url), onlyOwn: false)[...]
        let galleryImages = zip(images, found).map { image, stored in
            if let stored { return GalleryImage(image: image, data: .stored(stored)) }
            let failure = failures.popFirst() ?? nil
            return GalleryImage(image: image, data: .missing(reason: failure?.error.message))
        }
        let maxAge = maxAge(url)
        return GalleryFeed(
            url: saved.url, title: saved.feed.title, savedAt: saved.savedAt, images: galleryImages, maxAge: maxAge,
            isFresh: FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now(), maxAge: maxAge))
    }
}
