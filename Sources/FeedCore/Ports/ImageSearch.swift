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
    /// Whether the found images have their details, which take most of the time of a large result.
    package let hasDetails: Bool

    package init(
        words: [String], feed: ResourceURL? = nil, after: Timestamp? = nil, limit: Int? = nil, hasDetails: Bool = true
    ) {
        self.words = words
        self.feed = feed
        self.after = after
        self.limit = limit
        self.hasDetails = hasDetails
    }
}

/// An image that a search has found.
package struct FoundImage: Hashable, Sendable {
    /// Everything about an image and its data.
    package struct Details: Hashable, Sendable {
        package let image: FeedImage
        package let stored: StoredImage

        package init(image: FeedImage, stored: StoredImage) {
            self.image = image
            self.stored = stored
        }
    }

    package let feed: FeedHead
    package let description: String?
    /// When the data was first obtained.
    package let fetchedAt: Timestamp
    /// The path of the file, relative to the cache.
    package let path: String
    /// The details, if the query asks for them.
    package let details: Details?

    package init(
        feed: FeedHead, description: String?, fetchedAt: Timestamp, path: String, details: Details? = nil
    ) {
        self.feed = feed
        self.description = description
        self.fetchedAt = fetchedAt
        self.path = path
        self.details = details
    }
}
