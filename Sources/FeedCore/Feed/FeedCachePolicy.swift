/// How long a saved feed stands in for the server.
package enum MaxAge: Hashable, Sendable {
    case span(Duration)
    case forever

    package static let standard = MaxAge.span(.seconds(7 * 24 * 60 * 60))
}

/// When a saved feed is fresh. Both moments are passed in: the domain never reads a clock.
package enum FeedCachePolicy {
    package static func isFresh(savedAt: Timestamp, now: Timestamp, maxAge: MaxAge) -> Bool {
        switch maxAge {
        // Not even a clock that was wrong once makes it too old for that.
        case .forever: return true
        case .span(let limit): return savedAt.age(at: now).map { $0 < limit } ?? false
        }
    }
}

/// Why a saved feed can't stand in for the server.
package struct Staleness: Hashable, Sendable {
    package let savedAt: Timestamp
    /// It was saved by a clock that was wrong, or this one is; how old a feed may be has nothing to do with it.
    package let isAhead: Bool

    package init(savedAt: Timestamp, now: Timestamp) {
        self.savedAt = savedAt
        isAhead = savedAt.age(at: now) == nil
    }
}

extension Staleness: CustomStringConvertible {
    package var description: String {
        isAhead
            ? "the saved feed counts as stale: it was saved at \(savedAt.rfc3339), which is ahead of the clock"
            : "the saved feed is stale: it was saved at \(savedAt.rfc3339)"
    }
}
