/// A list of images as a server sends it.
package struct Feed: Hashable, Sendable {
    package enum Format: String, Sendable {
        case essential
        case jsonFeed = "jsonfeed"
        case rss, atom
    }

    package let format: Format
    package let title: String?
    package let images: [FeedImage]

    package init(format: Format, title: String? = nil, images: [FeedImage]) {
        self.format = format
        self.title = title
        self.images = images
    }
}

/// The headers by which a server recognises its response. A server that receives them again can answer "not modified".
package struct Validators: Hashable, Sendable {
    /// The longest validator that is kept. A cache may hold millions of them.
    private static let longest = 1024

    package let etag: String?
    package let lastModified: String?

    /// Drops a validator that is too long or contains a control character.
    package init(etag: String? = nil, lastModified: String? = nil) {
        func kept(_ text: String?) -> String? {
            text.flatMap { $0.utf8.count <= Self.longest && $0.isHeaderText ? $0 : nil }
        }
        self.etag = kept(etag)
        self.lastModified = kept(lastModified)
    }

    package var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// A feed as the cache holds it.
package struct SavedFeed: Hashable, Sendable {
    package let url: ResourceURL
    package let feed: Feed
    package let savedAt: Timestamp
    package let validators: Validators
    /// The number of pages that were requested, as far as the feed had so many.
    package let pages: Int
    /// Whether the user has named the feed.
    package let isNamed: Bool
    /// Whether the feed may see the own network's data.
    package let seesOwnNetwork: Bool
    /// The URL that the feed has moved to, as its server says. It is reported and never requested.
    package let movedTo: ResourceURL?
    /// The rules by which the images were chosen. The same response gives other images under other rules.
    package let rules: String?
    /// The last `--keep` of the user; nil if the user never gave one.
    package let keep: Keep?
    /// The number of kept images that have left the feed.
    package let keptCount: Int
    /// The kept images, newest first, if the caller asked for them.
    package let kept: [FeedImage]
    /// The reason why the last request for the feed failed; nil if it succeeded.
    package let trouble: FeedTrouble?

    /// Whether the items came from an archive, and no sync has confirmed them since. Only a sync saves rules.
    var isFromArchive: Bool { rules == nil }

    package init(
        url: ResourceURL, feed: Feed, savedAt: Timestamp, validators: Validators = Validators(), pages: Int = 1,
        isNamed: Bool = true, seesOwnNetwork: Bool = false, movedTo: ResourceURL? = nil, rules: String? = nil,
        keep: Keep? = nil, keptCount: Int = 0, kept: [FeedImage] = [], trouble: FeedTrouble? = nil
    ) {
        self.url = url
        self.feed = feed
        self.savedAt = savedAt
        self.validators = validators
        self.pages = pages
        self.isNamed = isNamed
        self.seesOwnNetwork = seesOwnNetwork
        self.movedTo = movedTo
        self.rules = rules
        self.keep = keep
        self.keptCount = keptCount
        self.kept = kept
        self.trouble = trouble
    }
}
