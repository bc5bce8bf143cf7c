/// A web page that an item without an image links to, and how the last request for it ended.
///
/// The images of the page are images of the item.
package struct LinkedPage: Hashable, Sendable {
    package let url: ResourceURL
    /// Whether the page came from a public address.
    ///
    /// It may then reference only public addresses, even if its feed may reference others.
    package let isPublic: Bool
    /// The last failure, with the count 0 if it may pass; nil if the request succeeded.
    package let failure: RememberedFailure?

    package init(url: ResourceURL, isPublic: Bool = true, failure: RememberedFailure? = nil) {
        self.url = url
        self.isPublic = isPublic
        self.failure = failure
    }
}

/// An image on a web page.
package struct PageImage: Hashable, Sendable {
    package let url: ResourceURL
    /// The words of the page about the image.
    package let description: String?
    /// Further URLs of the same image, the best first.
    package let alternatives: [ResourceURL]

    package init(url: ResourceURL, description: String? = nil, alternatives: [ResourceURL] = []) {
        self.url = url
        self.description = description
        self.alternatives = alternatives
    }
}

/// The last of a row of permanent failures of a URL.
package struct RememberedFailure: Hashable, Sendable {
    package let error: FeedError
    package let failedAt: Timestamp
    /// The number of failures in a row.
    package let count: Int

    package init(error: FeedError, failedAt: Timestamp, count: Int) {
        self.error = error
        self.failedAt = failedAt
        self.count = count
    }
}

/// What a run has to know about the pages of a feed.
package struct LinkedPagesReport: Hashable, Sendable {
    /// The pages that failed in this run, in the order of the feed.
    package var failed: [LinkedPage] = []
    /// The pages that were skipped because of an earlier failure.
    package var leftAlone: [LinkedPage] = []

    package init(failed: [LinkedPage] = [], leftAlone: [LinkedPage] = []) {
        self.failed = failed
        self.leftAlone = leftAlone
    }

    mutating func add(_ other: LinkedPagesReport) {
        failed += other.failed
        leftAlone += other.leftAlone
    }
}
