/// How long a saved feed stands in for the server.
package enum MaxAge: Hashable, Sendable {
    case span(Duration)
    case forever

    package static let standard = MaxAge.span(.seconds(7 * 24 * 60 * 60))
}

/// When a saved feed is fresh. Both moments are passed in: the domain never reads a clock.
package enum FeedCachePolicy {
    /// A clock set right after a save may lie a little behind it; more than this is a broken timestamp, not a fresh feed.
    private static let toleratedLead = Duration.seconds(60 * 60)

    package static func isFresh(savedAt: Timestamp, now: Timestamp, maxAge: MaxAge) -> Bool {
        let age = now - savedAt
        guard age >= .zero - toleratedLead else { return false }
        switch maxAge {
        case .forever: return true
        case .span(let limit): return age < limit
        }
    }
}
