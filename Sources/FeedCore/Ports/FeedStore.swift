/// Stores the saved feeds.
///
/// One test suite checks every implementation.
package protocol FeedStore: Sendable {
    /// Returns a saved feed; nil if it was never saved. Kept items, which may be many, are included on request.
    func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed?

    /// Returns the feed's kept images whose data may be missing.
    func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage]

    /// Returns the ids of the feed's current and kept images; none if it was never saved.
    func imageIDs(of url: ResourceURL) async throws(FeedError) -> SavedImageIDs

    /// Counts the feed's kept images that `keep` excludes.
    func countKept(of url: ResourceURL, excludedBy keep: Keep, now: Timestamp) async throws(FeedError) -> Int

    /// Runs `work` in one transaction, which is rolled back if `work` throws. Changes run one after another, even
    /// across processes.
    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome

    /// Returns the images that the user removed from a feed, which may be unsaved.
    func removed(from url: ResourceURL) async throws(FeedError) -> RemovedImages

    /// Returns the current and kept images that have this URL, as their `url` or an alternative, with their feeds.
    func images(at url: ResourceURL) async throws(FeedError) -> [ImageOfFeed]

    /// Returns the feeds from which an image with this URL was removed.
    func feeds(withRemoved url: ResourceURL) async throws(FeedError) -> [ResourceURL]

    /// Returns every saved feed without its images, sorted by URL.
    func summaries() async throws(FeedError) -> [FeedSummary]
}

extension FeedStore {
    package func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed? {
        try await retrieve(url, withKept: false)
    }
}

/// The changes of one transaction on a feed store.
package protocol FeedStoreChange {
    /// Returns when the feed was saved; nil if it was never saved.
    func savedAt(_ url: ResourceURL) throws(FeedError) -> Timestamp?
    /// Deletes the feed with everything that is known about it. A feed that was never saved is ignored.
    func delete(_ url: ResourceURL) throws(FeedError)
    /// Deletes the saved copy of a feed with its data. A named feed stays named, and keeps its removed images.
    func deleteCopy(of url: ResourceURL) throws(FeedError)
    /// Deletes the feed's current items and, unless `keepingLeft` is true, its kept items. The feed itself and its image
    /// data stay.
    func deleteItems(of url: ResourceURL, keepingLeft: Bool) throws(FeedError)
    /// Inserts a feed, or replaces a saved feed except for its kept items.
    func insert(_ saved: SavedFeed) throws(FeedError)
    /// Confirms that the items of the saved feed are the server's latest, and renews everything else that is saved of
    /// it, including the credentials of its URL. Throws `notFound` if the feed was never
    /// saved.
    func confirm(_ saved: SavedFeed) throws(FeedError)
    /// Replaces the open walks of a saved feed, which `insert` and `confirm` replace too.
    func setWalks(_ walks: [OpenWalk], of url: ResourceURL) throws(FeedError)
    /// Remembers the trouble until the feed is inserted, confirmed or deleted. A feed that was never saved is ignored.
    func note(_ trouble: FeedTrouble, of url: ResourceURL) throws(FeedError)

    /// Sets the `keep` of a saved feed.
    func setKeep(_ keep: Keep, of url: ResourceURL) throws(FeedError)
    /// Keeps images that have left the feed. The caller passes only images that are new among the kept ones. The data of
    /// images from an archive is never requested.
    func keep(_ images: [FeedImage], fromArchive: Bool, of url: ResourceURL) throws(FeedError)
    /// Gives the ids of images that have another id now to the data that is their own.
    func rename(_ ids: [(old: String, new: String)], of url: ResourceURL) throws(FeedError)
    /// Has the next request for each of these new images ask whether the data of its URL has changed, if there is such
    /// data.
    func awaitData(of images: [FeedImage], of url: ResourceURL) throws(FeedError)
    /// Removes the kept images that the feed contains again, and returns them.
    func takeBack(to url: ResourceURL) throws(FeedError) -> [FeedImage]
    /// Deletes the kept images that `keep` excludes.
    func letGo(from url: ResourceURL, by keep: Keep, now: Timestamp) throws(FeedError)
    func countKept(of url: ResourceURL) throws(FeedError) -> Int

    /// Returns the images that the user removed from a feed, which may be unsaved.
    func removed(from url: ResourceURL) throws(FeedError) -> RemovedImages
    /// Replaces the removed images of a feed, and deletes the current and kept images that they cover.
    func setRemoved(_ removed: RemovedImages, from url: ResourceURL) throws(FeedError)
    /// Has the next sync request the whole feed, even if the saved feed is the server's latest.
    func forgetRules(of url: ResourceURL) throws(FeedError)
}

/// An image of a saved feed.
package struct ImageOfFeed: Hashable, Sendable {
    package let image: FeedImage
    package let feed: ResourceURL

    package init(_ image: FeedImage, of feed: ResourceURL) {
        self.image = image
        self.feed = feed
    }
}

/// A saved feed without its images.
package struct FeedSummary: Hashable, Sendable {
    package let head: FeedHead
    /// The number of current and kept images.
    package let images: Int
    /// The number of kept images.
    package let kept: Int
    package let naming: FeedNaming
    package let movedTo: ResourceURL?
    /// The trouble of the last attempt to load the feed; nil if it succeeded.
    package let trouble: FeedTrouble?

    package init(
        _ head: FeedHead, images: Int, kept: Int = 0, naming: FeedNaming = .byCommand, movedTo: ResourceURL? = nil,
        trouble: FeedTrouble? = nil
    ) {
        self.head = head
        self.images = images
        self.kept = kept
        self.naming = naming
        self.movedTo = movedTo
        self.trouble = trouble
    }

    package var url: ResourceURL { head.url }
}

/// The pause that a server asked for in its response to a feed's own request.
package struct FeedWait: Hashable, Sendable {
    /// The longest pause that is respected.
    ///
    /// A moment further ahead comes from a wrong clock.
    static let longest = Duration.seconds(24 * 60 * 60)

    package let feed: ResourceURL
    package let until: Timestamp

    package init(feed: ResourceURL, until: Timestamp) {
        self.feed = feed
        self.until = until
    }

    package func holds(at now: Timestamp) -> Bool { now < until && until <= now + Self.longest }
}

/// Stores the pauses from one run to the next.
package protocol FeedWaitStore: Sendable {
    /// Returns the pauses by URL.
    func retrieve() async throws(FeedError) -> [FeedWait]
    /// Replaces all pauses. If it throws, the old pauses stay.
    func replace(with waits: [FeedWait]) async throws(FeedError)
}
