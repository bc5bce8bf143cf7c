/// Decodes feeds and subscription lists.
package protocol FeedDecoding: Sendable {
    /// Decodes a feed. Throws `invalidData` with the item and the reason.
    func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed

    /// Returns the images of a web page that an item links to.
    func readPage(_ page: FeedSource, taking selection: ImageSelection) throws(FeedError) -> [PageImage]

    /// Decodes the feeds of a subscription list.
    func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList
}

extension FeedDecoding {
    package func decode(_ document: FeedSource) throws(FeedError) -> DecodedFeed {
        try decode(document, taking: ImageSelection())
    }
}

/// A document from a server or a local file.
package struct FeedSource: Hashable, Sendable {
    package let bytes: [UInt8]
    /// The URL of the document after redirects.
    ///
    /// It decides which URLs the document may reference, and is the base of its relative references.
    package let url: ResourceURL
    /// The value of the Content-Type header.
    package let contentType: String?
    /// The largest number of images in a feed, or of feeds in a list.
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

/// A feed with what the decoder found besides it.
package struct DecodedFeed: Hashable, Sendable {
    package var feed: Feed
    /// The index in `feed.images` of the first image of each item; empty where each image is an item of its own.
    package var itemStarts: [Int]
    /// Messages to the user about what was left out.
    package var notes: [String]
    /// The URL of the feed's next page.
    package var nextPage: ResourceURL?
    /// The hashes of all items, also of those without an image.
    package var itemHashes: Set<Int>
    /// Whether WordPress wrote the feed.
    package var isOfWordPress: Bool
    /// The pause between two requests that the feed asks for.
    package var interval: Duration?

    package init(
        feed: Feed, itemStarts: [Int] = [], notes: [String] = [], nextPage: ResourceURL? = nil,
        itemHashes: Set<Int> = [], isOfWordPress: Bool = false, interval: Duration? = nil
    ) {
        self.feed = feed
        self.itemStarts = itemStarts
        self.notes = notes
        self.nextPage = nextPage
        self.itemHashes = itemHashes
        self.isOfWordPress = isOfWordPress
        self.interval = interval
    }
}

/// A list of feeds, as feed readers export it.
package struct SubscriptionList: Hashable, Sendable {
    package let feeds: [ResourceURL]
    /// Messages to the user about what was left out.
    package let notes: [String]

    package init(feeds: [ResourceURL], notes: [String] = []) {
        self.feeds = feeds
        self.notes = notes
    }
}

/// The user's choice among the images that a feed contains.
package struct ImageSelection: Hashable, Sendable {
    /// Whether decoration counts as an image, too.
    package let all: Bool
    /// Regular expressions of which one must match the URL, if there are any.
    package let includes: [String]
    /// Regular expressions that must not match the URL.
    package let excludes: [String]
    /// Whether an item without an image takes its image from the page that it links to.
    package let follows: Bool

    package init(all: Bool = false, includes: [String] = [], excludes: [String] = [], follows: Bool = false) {
        self.all = all
        self.follows = follows
        self.includes = includes
        self.excludes = excludes
    }

    /// The name of the rules for reading feeds: their version and the selection.
    ///
    /// Rules of the same name choose the same images.
    package var rules: String {
        let flags = (all ? ["all"] : []) + (follows ? ["follow"] : [])
        return (["1"] + flags + includes.map { "+\($0)" } + excludes.map { "-\($0)" }).joined(separator: "\n")
    }
}
