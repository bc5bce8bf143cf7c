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
}
