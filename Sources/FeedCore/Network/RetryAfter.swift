/// The `Retry-After` header (RFC 9110, section 10.2.3): how long a server asks to be left alone.
///
/// | header                                  | answer                                     |
/// |-----------------------------------------|--------------------------------------------|
/// | digits                                  | so many seconds, `longest` at most         |
/// | a date ahead, in any of the three forms | the time until then, `longest` at most     |
/// | a date that is now or past              | zero                                       |
/// | anything else                           | nil: as if there were no such header       |
package enum RetryAfter {
    /// 68 years. Longer ones are cut down to it: it's over any limit, and can be added to a clock without overflow.
    package static let longest = Duration.seconds(Int64(1) << 31)

    package static func parse(_ header: String, now: Timestamp) -> Duration? {
        let value = trimmed(header)
        if let first = value.utf8.first, isDigit(first) { return seconds(value.utf8) }
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        return min(max(date - now, .zero), longest)
    }

    private static func seconds(_ digits: Substring.UTF8View) -> Duration? {
        var seconds: Int64 = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            seconds = min(seconds * 10 + Int64(digit - UInt8(ascii: "0")), longest.components.seconds)
        }
        return .seconds(seconds)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Blanks around a header's value are no part of it.
    private static func trimmed(_ header: String) -> Substring {
        var bytes = header.utf8[...]
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        while isBlank(bytes.first) { bytes.removeFirst() }
        while isBlank(bytes.last) { bytes.removeLast() }
        return Substring(bytes)
    }
}
