/// What makes two failures of one feed, or of its images, the same.
package struct FailureCause: Hashable, Sendable {
    package let kind: FeedError.Kind
    package let status: Int?
    /// The host and port of the failure.
    package let host: String?

    package init(kind: FeedError.Kind, status: Int?, host: String?) {
        self.kind = kind
        self.status = status
        self.host = host
    }

    package init(_ error: FeedError) { self.init(kind: error.kind, status: error.status, host: error.host) }
}

/// A failure that the lines of an earlier run have reported.
package struct ReportedFailure: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// The feed itself, or a further page of it.
        case feed
        /// Images of the feed.
        case images
    }

    package let feed: ResourceURL
    package let subject: Subject
    package let cause: FailureCause
    package let reportedAt: Timestamp

    package init(feed: ResourceURL, subject: Subject, cause: FailureCause, reportedAt: Timestamp) {
        self.feed = feed
        self.subject = subject
        self.cause = cause
        self.reportedAt = reportedAt
    }
}

/// Stores the failures that runs have reported.
package protocol ReportedFailureStore: Sendable {
    /// Returns the failures in the order in which they were stored.
    func retrieve() async throws(FeedError) -> [ReportedFailure]
    /// Replaces all failures. Those of feeds without a saved copy are left out, and a deleted feed takes its failures
    /// along. If it throws, the old failures stay.
    func replace(with failures: [ReportedFailure]) async throws(FeedError)
}
