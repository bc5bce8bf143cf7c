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
