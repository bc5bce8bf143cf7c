/// Where saved feeds are kept. One suite of tests states what every implementation promises.
package protocol FeedStore: Sendable {
    /// With what is kept of it, besides what it names, only if that is asked for: it may be much.
    func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed?

    /// The kept images of the feed whose data may be missing.
    func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage]

    /// Runs `work` in one transaction: all that it changed stands afterwards or, if it throws, none of it.
    /// Changes run one after another, also across processes.
    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome

    /// Every saved feed, by URL, without its images.
    func summaries() async throws(FeedError) -> [FeedSummary]
}

extension FeedStore {
    package func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed? {
        try await retrieve(url, withKept: false)
    }
}

/// What can be done to a feed store within one transaction.
package protocol FeedStoreChange {
    /// Deletes the feed with its kept items. Deleting a feed that was never saved is no error.
    func delete(_ url: ResourceURL) throws(FeedError)
    /// Deletes the current items of the feed and, unless they stay, the items that left it. The feed itself stays, and with
    /// it the image data that it alone may see.
    func deleteItems(of url: ResourceURL, keepingLeft: Bool) throws(FeedError)
    /// Inserts a feed, or replaces a saved one except for the items that left it.
    func insert(_ saved: SavedFeed) throws(FeedError)
    /// The saved feed is the server's latest: all else that is saved of it is renewed, with the credentials of its URL,
    /// with which it was just had. A named one stays one. `notFound` if there is none.
    func confirm(_ saved: SavedFeed) throws(FeedError)
    /// Remembers it until the feed is inserted, confirmed or deleted. Nothing happens where the feed isn't there.
    func note(_ trouble: FeedTrouble, of url: ResourceURL) throws(FeedError)

    /// From now on this holds for a saved feed.
    func setKeep(_ keep: Keep, of url: ResourceURL) throws(FeedError)
    /// Keeps images that left the feed, of which none is kept by now. The data of images from an archive is never requested.
    func keep(_ images: [FeedImage], fromArchive: Bool, of url: ResourceURL) throws(FeedError)
    /// Those kept that the feed names again are no longer kept, and are given back.
    func takeBack(to url: ResourceURL) throws(FeedError) -> [FeedImage]
    /// Lets go of the kept ones that are not covered.
    func letGo(from url: ResourceURL, by keep: Keep, now: Timestamp) throws(FeedError)
    func countKept(of url: ResourceURL) throws(FeedError) -> Int
}

extension FeedStoreChange {
    package func keep(_ images: [FeedImage], of url: ResourceURL) throws(FeedError) {
        try keep(images, fromArchive: false, of: url)
    }
}

package struct FeedSummary: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let format: Feed.Format
    package let savedAt: Timestamp
    /// How many images the feed has, with those that are kept.
    package let images: Int
    /// As of a `SavedFeed`.
    package let isNamed: Bool
    package let movedTo: ResourceURL?
    package let keep: Keep?
    /// Nil if the feed was had the last time.
    package let trouble: FeedTrouble?

    package init(
        url: ResourceURL, title: String?, format: Feed.Format, savedAt: Timestamp, images: Int, isNamed: Bool = true,
        movedTo: ResourceURL? = nil, keep: Keep? = nil, trouble: FeedTrouble? = nil
    ) {
        self.url = url
        self.title = title
        self.format = format
        self.savedAt = savedAt
        self.images = images
        self.isNamed = isNamed
        self.movedTo = movedTo
        self.keep = keep
        self.trouble = trouble
    }
}
