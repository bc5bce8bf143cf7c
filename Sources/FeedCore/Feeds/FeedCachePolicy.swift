/// How long a saved feed is fresh.
package enum MaxAge: Hashable, Sendable {
    case span(Duration)
    case forever

    package static let standard = MaxAge.span(.seconds(7 * 24 * 60 * 60))
}

extension MaxAge {
    private static let units: [Character: Int64] = [
        "y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1,
    ]
    /// More than three thousand years.
    ///
    /// A longer span could overflow when it is added to a timestamp.
    private static let longest: Int64 = 100_000_000_000

    /// Reads an age such as `90s`, `15m`, `36h`, `7d`, `2w`, `1y` or `forever`.
    package init?(_ text: String) {
        if text == "forever" {
            self = .forever
            return
        }
        guard let seconds = text.last.flatMap({ Self.units[$0] }), let number = DecimalDigits.number(text.dropLast()),
            number <= Self.longest / seconds
        else { return nil }
        self = .span(.seconds(number * seconds))
    }
}

/// How long a confirmed feed is not requested again.
package enum RequestPause: Hashable, Sendable {
    case age(MaxAge)
    /// The pause that the feed and its server ask for.
    case auto
}

/// The rule for the freshness of a saved feed.
///
/// The caller passes in both moments: the domain reads no clock.
package enum FeedCachePolicy {
    package static func isFresh(savedAt: Timestamp, now: Timestamp, maxAge: MaxAge) -> Bool {
        switch maxAge {
        // A feed that is fresh forever is fresh even if a wrong clock saved it.
        case .forever: return true
        case .span(let limit): return savedAt.age(at: now).map { $0 < limit } ?? false
        }
    }
}

/// The reason why a saved feed is stale.
package struct Staleness: Hashable, Sendable {
    package let savedAt: Timestamp
    /// Whether the feed was saved at a moment that is ahead of the clock.
    ///
    /// Then one of the two clocks was wrong.
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
