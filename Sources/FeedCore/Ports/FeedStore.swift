/// Where saved feeds are kept. One suite of tests states what every implementation promises.
package protocol FeedStore: Sendable {
    func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed?

    /// Runs `work` in one transaction: all that it changed stands afterwards or, if it throws, none of it.
    /// Changes run one after another, also across processes.
    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome

    /// Every saved feed, by URL, without its images.
    func summaries() async throws(FeedError) -> [FeedSummary]
}

/// What can be done to a feed store within one transaction.
package protocol FeedStoreChange {
    /// Deleting a feed that isn't there is no error.
    func delete(_ url: ResourceURL) throws(FeedError)
    /// Over a feed that is there, it replaces it.
    func insert(_ saved: SavedFeed) throws(FeedError)
    /// The saved feed is the server's latest: all else that is saved of it is renewed, with the credentials of its URL,
    /// with which it was just had. A named one stays one. `notFound` if there is none.
    func confirm(_ saved: SavedFeed) throws(FeedError)
}

package struct FeedSummary: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let format: Feed.Format
    package let savedAt: Timestamp
    /// How many images the feed names.
    package let images: Int
    /// As of a `SavedFeed`.
    package let isNamed: Bool
    package let movedTo: ResourceURL?

    package init(
        url: ResourceURL, title: String?, format: Feed.Format, savedAt: Timestamp, images: Int, isNamed: Bool = true,
        movedTo: ResourceURL? = nil
    ) {
        self.url = url
        self.title = title
        self.format = format
        self.savedAt = savedAt
        self.images = images
        self.isNamed = isNamed
        self.movedTo = movedTo
    }
}
