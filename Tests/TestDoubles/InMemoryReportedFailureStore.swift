package import FeedCore

/// Stores reported failures in memory for the duration of a test.
package final class InMemoryReportedFailureStore: ReportedFailureStore {
    private let cache: InMemoryCache

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    package func retrieve() async throws(FeedError) -> [ReportedFailure] {
        try cache.withContents { contents throws(FeedError) in contents.reportedFailures }
    }

    package func replace(with failures: [ReportedFailure]) async throws(FeedError) {
        try cache.withContents { contents throws(FeedError) in
            contents.reportedFailures = failures.filter { contents.feeds[$0.feed.text] != nil }
        }
    }
}
