/// A permanent failure of an image URL, or an image that is smaller than the user wants.
package struct ImageFailure: Hashable, Sendable {
    package let url: ResourceURL
    package let error: FeedError
    package let failedAt: Timestamp
    /// The feeds for which the URL was requested.
    package let feeds: [ResourceURL]

    package init(url: ResourceURL, error: FeedError, failedAt: Timestamp, feeds: [ResourceURL]) {
        self.url = url
        self.error = error
        self.failedAt = failedAt
        self.feeds = feeds
    }
}

/// Decides which failures are permanent, and how long an image is skipped after them.
///
/// | failure                                                                             | permanent |
/// |-------------------------------------------------------------------------------------|-----------|
/// | invalidData: 401, 403, 404, 410, 451, any other status; an empty body, no image     | yes       |
/// | invalidData with a 407, which is the proxy's response                               | no        |
/// | invalidData that depends on settings: a limit is exceeded, an address is forbidden  | no        |
/// | connectivity: a missing response, 408, 425, 429, any 5xx                            | no        |
/// | notFound, storage, cancelled; any failure of a local file                           | no        |
///
/// | failures in a row | 1   | 2   | 3   | 4   | 5    | 6    | 7    | 8     | 9 and more |
/// |-------------------|-----|-----|-----|-----|------|------|------|-------|------------|
/// | skipped for       | 1 h | 2 h | 4 h | 8 h | 16 h | 32 h | 64 h | 128 h | 7 d        |
package enum PermanentFailures {
    private static let shortestPause = Duration.seconds(60 * 60)
    private static let longestPause = Duration.seconds(7 * 24 * 60 * 60)

    package static func isPermanent(_ error: FeedError) -> Bool {
        error.kind == .invalidData && error.status != 407 && !error.dependsOnSettings && error.stage != .trusting
    }

    /// Returns whether the failure of this URL is remembered.
    ///
    /// A refusal is remembered, although requests with secrets ignore it (see `isRefusal`). The size of an image that
    /// is too small is remembered, too.
    package static func isRemembered(_ error: FeedError, of url: ResourceURL) -> Bool {
        url.isRemote && (isPermanent(error) || error.smallSize != nil)
    }

    /// Returns how long an image is skipped after so many permanent failures in a row.
    package static func pause(afterFailures count: Int) -> Duration {
        guard count > 0 else { return .zero }
        return min(shortestPause * (1 << min(count - 1, 16)), longestPause)
    }

    /// Returns whether it is too early for another request.
    ///
    /// A failure in the future is ignored, because it comes from a wrong clock and could block an image for years.
    package static func isLeftAlone(lastFailure: (at: Timestamp, count: Int), now: Timestamp) -> Bool {
        guard let age = lastFailure.at.age(at: now) else { return false }
        let pause = pause(afterFailures: lastFailure.count)
        return pause > .zero && age < pause
    }
}

extension FeedError {
    /// Whether the server refused access.
    ///
    /// A request with credentials, or with other credentials, may succeed.
    var isRefusal: Bool { status == 401 || status == 403 }
}
