/// Searches the images of the saved feeds.
package protocol ImageSearch: Sendable {
    /// Passes the images with data that match the query to `visit` in batches, and returns their number. The image whose
    /// data was obtained last comes first. Throws `notFound` if the feed of the query was never saved.
    func find(
        _ query: ImageQuery, _ visit: @escaping @Sendable ([FoundImage]) throws(FeedError) -> Void
    ) async throws(FeedError) -> Int
}

/// The images that a search is for.
package struct ImageQuery: Hashable, Sendable {
    /// The words that the texts of an image, or the title of its feed, contain.
    package let words: [String]
    /// The feed of the images; nil for every feed.
    package let feed: ResourceURL?
    /// The moment after which the data of the images was first obtained; nil for any time.
    package var after: Timestamp?
    /// The maximum number of images; nil for no limit.
    package let limit: Int?

    package init(words: [String], feed: ResourceURL? = nil, after: Timestamp? = nil, limit: Int? = nil) {
        self.words = words
        self.feed = feed
        self.after = after
        self.limit = limit
    }
}

/// An image that a search has found.
package struct FoundImage: Hashable, Sendable {
    package let feed: FeedHead
    package let image: FeedImage
    package let stored: StoredImage

    package init(feed: FeedHead, image: FeedImage, stored: StoredImage) {
        self.feed = feed
        self.image = image
        self.stored = stored
    }
}
