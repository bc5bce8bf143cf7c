/// Makes a feed of a server's answer.
package protocol FeedDecoding: Sendable {
    /// Throws `invalidData` that says what is wrong, where, and why.
    func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed

    /// The feeds that a subscription list names.
    func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList
}

extension FeedDecoding {
    package func decode(_ document: FeedSource) throws(FeedError) -> DecodedFeed {
        try decode(document, taking: ImageSelection())
    }
}

/// What came from a server, or lay in a file.
package struct FeedSource: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Where it was found in the end: what it may name depends on that, and relative references begin there.
    package let url: ResourceURL
    /// As the server put it.
    package let contentType: String?
    /// The most images that it may have, or the most feeds in a list.
    package let mostImages: Int

    package init(
        bytes: [UInt8], url: ResourceURL, contentType: String? = nil, mostImages: Int = FeedSizeLimit.standard.images
    ) {
        self.bytes = bytes
        self.url = url
        self.contentType = contentType
        self.mostImages = mostImages
    }
}

package struct DecodedFeed: Hashable, Sendable {
    package var feed: Feed
    /// Where the images of each of its items begin among `feed.images`; empty where each image is an item.
    package var itemStarts: [Int]
    /// What was left out of it, for a person who wants to know.
    package var notes: [String]
    /// Where the feed says that it goes on.
    package var nextPage: ResourceURL?

    package init(
        feed: Feed, itemStarts: [Int] = [], notes: [String] = [], nextPage: ResourceURL? = nil
    ) {
        self.feed = feed
        self.itemStarts = itemStarts
        self.notes = notes
        self.nextPage = nextPage
    }
}

/// Feeds that somebody reads, as feed readers hand them on.
package struct SubscriptionList: Hashable, Sendable {
    package let feeds: [ResourceURL]
    /// What was left out of it, for a person who wants to know.
    package let notes: [String]

    package init(feeds: [ResourceURL], notes: [String] = []) {
        self.feeds = feeds
        self.notes = notes
    }
}
