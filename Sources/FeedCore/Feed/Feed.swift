/// A list of images, as a server gives it.
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

/// The marks by which a server recognises its answer. Where it gets them back, it may answer "not modified" instead.
package struct Validators: Hashable, Sendable {
    /// No server has reason to make one longer, and a cache may hold millions.
    private static let longest = 1024

    package let etag: String?
    package let lastModified: String?

    /// A mark that can't be sent back, or that is too long, counts as none.
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
    /// How many of its pages were asked for, as far as there are so many.
    package let pages: Int
    /// Whether the user has named the feed.
    package let isNamed: Bool
    /// Whether the feed may see the own network's data.
    package let seesOwnNetwork: Bool
    /// The URL that the feed has moved to, as its server says. It is reported and never requested.
    package let movedTo: ResourceURL?
    /// By which rules its images were chosen among all that it names. By others, the same answer is another feed.
    package let rules: String?
    /// What a sync was told last to keep of it; nil: none was told.
    package let keep: Keep?
    /// How many images are kept that left it.
    package let keptCount: Int
    /// The kept images, newest first, if they were asked for.
    package let kept: [FeedImage]
    /// Why the feed could not be loaded the last time; nil if it could.
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
