/// A feed without its images.
package struct FeedHead: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    /// The language of the texts, as a well-formed tag such as `pt-BR`.
    package let language: String?
    package let format: Feed.Format
    package let savedAt: Timestamp
    package var keep: Keep?
    /// The home page of the feed, as its server says.
    package var home: String?
    package var naming = FeedNaming.unnamed
    /// The settings that the feed was given, and the gaps in its history, as JSON.
    package var settings: String?
    package var gaps: String?
    /// The page where an open walk goes on.
    package var nextPage: ResourceURL?

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

    func with(naming: FeedNaming) -> FeedHead {
        var head = FeedHead(url: url, title: title, language: language, format: format, savedAt: savedAt)
        head.home = home
        head.naming = naming
        return head
    }
}

/// How the user has named a feed, which is what lets a run request it.
package enum FeedNaming: Int, Comparable, Sendable {
    /// An archive, an OPML list or `show` brought the feed.
    case unnamed
    /// The config file names the feed.
    case byConfig
    /// The user has named the feed in a command.
    case byCommand

    package static func < (left: FeedNaming, right: FeedNaming) -> Bool { left.rawValue < right.rawValue }
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
    package let naming: FeedNaming
    /// Whether the feed may reference private addresses, because it comes from one.
    package let reachesPrivate: Bool
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
        walks: [OpenWalk] = [], naming: FeedNaming = .byCommand, reachesPrivate: Bool = false,
        movedTo: ResourceURL? = nil,
        rules: String? = nil, keep: Keep? = nil, keptCount: Int = 0, kept: [FeedImage] = [],
        interval: Duration? = nil, trouble: FeedTrouble? = nil, linkedPages: [ResourceURL.Key: LinkedPage] = [:]
    ) {
        self.url = url
        self.feed = feed
        self.savedAt = savedAt
        self.validators = validators
        self.pages = pages
        self.walks = walks
        self.naming = naming
        self.reachesPrivate = reachesPrivate
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
    /// The feed, whose images may be at private addresses unless a page at a public address names them.
    var feedReachingPrivate: Feed {
        feed.with(
            feed.images.map { image in
                image.reaching(onlyPublic: image.post?.page.flatMap { linkedPages[$0.key]?.isPublic } ?? false)
            })
    }

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
        guard error.kind == .connectivity || error.kind == .invalidData, !error.isWait else { return nil }
        self.init(kind: error.kind, message: error.message.withoutPasswords, at: moment)
    }
}
