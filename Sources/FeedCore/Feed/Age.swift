extension MaxAge {
    private static let units: [Character: Int64] = ["w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1]
    /// More than three thousand years. A longer span could overflow when it is added to a timestamp.
    private static let longest: Int64 = 100_000_000_000

    /// Reads an age such as `90s`, `15m`, `36h`, `7d`, `2w` or `forever`.
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
    /// Returns the number that the digits write. It returns nil for any other text, also for a sign, which `Int64.init`
    /// accepts.
    package static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
