/// A feed without its images.
package struct FeedHead: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    /// The language of the texts, as a well-formed tag such as `pt-BR`.
    package let language: String?
    package let format: Feed.Format
    package let savedAt: Timestamp
    package var keep: Keep?

    package init(
        url: ResourceURL, title: String?, language: String? = nil, format: Feed.Format, savedAt: Timestamp,
        keep: Keep? = nil
    ) {
        self.url = url
        self.title = title
        self.language = language.flatMap(LanguageTag.wellFormed)
        self.format = format
        self.savedAt = savedAt
        self.keep = keep
    }
}

/// A feed as the cache holds it.
package struct SavedFeed: Hashable, Sendable {
    package let url: ResourceURL
    package var feed: Feed
    package internal(set) var savedAt: Timestamp
    package let validators: Validators
    /// The number of pages that were requested, as far as the feed had so many.
    ///
    /// With `keep`, it is the number of pages that a run asked for.
    package let pages: Int
    /// The walks that later runs continue, those through newer pages first.
    package var walks: [OpenWalk]
    /// Whether the user has named the feed.
    package let isNamed: Bool
    /// Whether the feed may see the own network's data.
    package let seesOwnNetwork: Bool
    /// The URL that the feed has moved to, as its server says.
    ///
    /// It is reported and never requested.
    package let movedTo: ResourceURL?
    /// The rules by which the images were chosen.
    ///
    /// The same response gives other images under other rules.
    package let rules: String?
    /// The last `--keep` of the user; nil if the user never gave one.
    package var keep: Keep?
    /// The number of kept images that have left the feed.
    package var keptCount: Int
    /// The kept images, newest first, if the caller asked for them.
    package var kept: [FeedImage]
    /// The pause between two requests for the feed that its server asks for.
    package let interval: Duration?
    /// The reason why the last request for the feed failed; nil if it succeeded.
    package var trouble: FeedTrouble?
    /// The pages of items without an image, with the images that were found there.
    package var linkedPages: [ResourceURL.Key: LinkedPage]

    package var head: FeedHead {
        FeedHead(
            url: url, title: feed.title, language: feed.language, format: feed.format, savedAt: savedAt, keep: keep)
    }

    /// Returns the feed as it was saved at this moment.
    func at(_ moment: Timestamp) -> SavedFeed {
        var saved = self
        saved.savedAt = moment
        return saved
    }

    /// Whether the items came from an archive, and no sync has confirmed them since.
    ///
    /// Only a sync saves rules.
    var isFromArchive: Bool { rules == nil }

    package init(
        url: ResourceURL, feed: Feed, savedAt: Timestamp, validators: Validators = Validators(), pages: Int = 1,
        walks: [OpenWalk] = [], isNamed: Bool = true, seesOwnNetwork: Bool = false, movedTo: ResourceURL? = nil,
        rules: String? = nil, keep: Keep? = nil, keptCount: Int = 0, kept: [FeedImage] = [],
        interval: Duration? = nil, trouble: FeedTrouble? = nil, linkedPages: [ResourceURL.Key: LinkedPage] = [:]
    ) {
        self.url = url
        self.feed = feed
        self.savedAt = savedAt
        self.validators = validators
        self.pages = pages
        self.walks = walks
        self.isNamed = isNamed
        self.seesOwnNetwork = seesOwnNetwork
        self.movedTo = movedTo
        self.rules = rules
        self.keep = keep
        self.keptCount = keptCount
        self.kept = kept
        self.interval = interval
        self.trouble = trouble
        self.linkedPages = linkedPages
    }
}

extension SavedFeed {
    /// Returns the feed without the removed images among its current ones.
    func without(_ removed: RemovedImages) -> SavedFeed {
        if removed.isEmpty { return self }
        var saved = self
        saved.feed = feed.without(removed)
        return saved
    }
}

/// Why the last attempt to load a feed failed.
package struct FeedTrouble: Hashable, Sendable {
    package let kind: FeedError.Kind
    /// The message of the error, whose passwords are removed.
    package let message: String
    package let at: Timestamp

    package init(kind: FeedError.Kind, message: String, at: Timestamp) {
        self.kind = kind
        self.message = message
        self.at = at
    }

    /// Makes the trouble of an error.
    ///
    /// The result is nil if the error concerns neither the feed nor its server: a fault of the cache, or a wait without
    /// a request.
    init?(_ error: FeedError, at moment: Timestamp) {
        guard error.kind == .connectivity || error.kind == .invalidData, !error.isWait || error.needsName else {
            return nil
        }
        self.init(kind: error.kind, message: error.message.withoutPasswords, at: moment)
    }
}
