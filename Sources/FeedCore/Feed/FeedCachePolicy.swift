/// How long a saved feed stands in for the server.
package enum MaxAge: Hashable, Sendable {
    case span(Duration)
    case forever

    package static let standard = MaxAge.span(.seconds(7 * 24 * 60 * 60))
}

/// When a saved feed is fresh. Both moments are passed in: the domain never reads a clock.
package enum FeedCachePolicy {
    package static func isFresh(savedAt: Timestamp, now: Timestamp, maxAge: MaxAge) -> Bool {
        guard let age = savedAt.age(at: now) else { return false }
        switch maxAge {
        case .forever: return true
        case .span(let limit): return age < limit
        }
    }
}
