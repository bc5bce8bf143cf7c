extension MaxAge {
    private static let units: [Character: Int64] = ["w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1]
    /// Over three thousand years. Beyond it, adding to a timestamp could overflow.
    private static let longest: Int64 = 100_000_000_000

    /// `90s`, `15m`, `36h`, `7d`, `2w`, `forever`.
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

package enum DecimalDigits {
    /// Nil for anything but digits; `Int64.init` would take a sign too.
    package static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
