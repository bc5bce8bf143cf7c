package struct ExportReport: Hashable, Sendable {
    package let feeds: Int
    package let images: Int
    /// The number of bytes of everything in the archive before compression.
    package let bytes: Int64

    package init(feeds: Int, images: Int, bytes: Int64) {
        self.feeds = feeds
        self.images = images
        self.bytes = bytes
    }
}

package struct ImportReport: Hashable, Sendable {
    package enum Outcome: String, Sendable {
        case added, replaced
        /// The saved feed stays: the archive's version was saved earlier, or ahead of the clock.
        case kept
    }

    package struct ImportedFeed: Hashable, Sendable {
        package let url: ResourceURL
        package let outcome: Outcome
        /// The archive has a `keep` for the feed, or the feed may not be requested before the user names it: only
        /// `--restore` takes that over.
        package let isHeldBack: Bool

        package init(url: ResourceURL, outcome: Outcome, isHeldBack: Bool = false) {
            self.url = url
            self.outcome = outcome
            self.isHeldBack = isHeldBack
        }
    }

    package internal(set) var feeds: [ImportedFeed] = []
    /// The number of URLs that got data and had none, or damaged data, before.
    package internal(set) var images = 0

    package init() {}
}
