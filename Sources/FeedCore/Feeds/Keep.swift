/// The rule for which items stay after they left a feed.
package struct Keep: Hashable, Sendable {
    package enum Limit: Hashable, Sendable {
        case none, forever
        /// Items stay for this time after they left.
        case age(Duration)
        /// The newest items stay, this many together with the current ones.
        case count(Int)
    }

    package let limit: Limit
    /// The rule as the user wrote it.
    package let text: String

    package static let forever = Keep(.forever, "forever")

    private init(_ limit: Limit, _ text: String) { (self.limit, self.text) = (limit, text) }

    /// Reads `none`, `forever`, an age such as `90d`, or a number.
    package init?(_ text: String) {
        if text == "none" {
            self.init(.none, text)
        } else if let count = DecimalDigits.number(text[...]) {
            guard (1...Int64(Int32.max)).contains(count) else { return nil }
            self.init(.count(Int(count)), text)
        } else {
            switch MaxAge(text) {
            case nil: return nil
            case .forever: self.init(.forever, text)
            case .span(let age): self.init(.age(age), text)
            }
        }
    }

    package var isNone: Bool { limit == .none }

    /// Whether items can end to be covered by the passing of time.
    package var isOfAge: Bool { if case .age = limit { true } else { false } }

    /// Returns the kept images that the rule covers. `current` are the images that the feed contains, which stay in any
    /// case.
    package func covered(
        of kept: [FeedImage], besides current: [FeedImage], savedAt: Timestamp, now: Timestamp
    ) -> [FeedImage] {
        switch limit {
        case .none: return []
        case .forever: return kept
        case .age(let age):
            return kept.filter { image in image.lastSeen.flatMap { $0.age(at: now) }.map { $0 < age } != false }
        case .count(let count):
            // Sorting keeps the order of equals.
            let places = (current + kept).map { $0.published ?? $0.lastSeen ?? savedAt }.enumerated()
                .sorted { $0.element > $1.element }.prefix(count).map(\.offset)
            let newest = Set(places)
            return kept.indices.filter { newest.contains(current.count + $0) }.map { kept[$0] }
        }
    }
}
