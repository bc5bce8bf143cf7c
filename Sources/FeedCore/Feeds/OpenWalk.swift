/// A further page of a feed.
package struct FeedPage: Hashable, Sendable {
    package let url: ResourceURL
    /// The number of the page; the feed itself is page 1.
    package let number: Int
    /// Whether the URL follows the custom of WordPress, and no page names it.
    package let isGuessed: Bool

    package init(url: ResourceURL, number: Int, isGuessed: Bool = false) {
        self.url = url
        self.number = number
        self.isGuessed = isGuessed
    }
}

/// A walk through the older pages of a feed, before its end.
package struct OpenWalk: Hashable, Sendable {
    /// The page to request next.
    package let page: FeedPage
    /// Whether the walk ends with a page whose items are all saved.
    ///
    /// The first walk goes through the whole history, and a later one as far as there are new items.
    package let endsAtSaved: Bool
    /// The moment at which the walk began.
    package let begun: Timestamp

    package init(page: FeedPage, endsAtSaved: Bool, begun: Timestamp) {
        self.page = page
        self.endsAtSaved = endsAtSaved
        self.begun = begun
    }

    /// Resumes a walk of another cache.
    ///
    /// `oldest` is when the oldest item so far was in the feed last.
    package init(resumingAt url: ResourceURL, after oldest: Timestamp) {
        // WordPress has the number of a page in its URL.
        let found = url.parameter("paged").flatMap { DecimalDigits.number($0[...]) }
        let number = max(2, min(found ?? 2, Int64(Int32.max)))
        self.init(
            page: FeedPage(url: url, number: Int(number), isGuessed: found != nil), endsAtSaved: false,
            begun: Timestamp(microseconds: oldest.microseconds + (number - 1) * 1000))
    }

    /// The moment at which the items of the page were last in the feed.
    ///
    /// The moments descend from page to page, because items without a date are ordered by them. A walk that continues
    /// in a later run continues this order.
    var lastSeen: Timestamp { Timestamp(microseconds: begun.microseconds - Int64(page.number) * 1000) }

    func going(to page: FeedPage) -> OpenWalk { OpenWalk(page: page, endsAtSaved: endsAtSaved, begun: begun) }
}

/// The ids of the images that are saved of a feed.
///
/// Hashes take little memory, however many images are kept.
package struct SavedImageIDs: Sendable {
    private var hashes: Set<Int> = []

    package init(_ ids: some Sequence<String> = []) {
        for id in ids { insert(id) }
    }

    package mutating func insert(_ id: String) { hashes.insert(ExactText(id).hashValue) }

    package func contains(_ image: FeedImage) -> Bool { hashes.contains(ExactText(image.id).hashValue) }
}
