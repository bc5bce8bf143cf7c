internal import Glibc

/// A moment in microseconds since 1970 UTC.
///
/// It is an integer, so that it is saved and read exactly.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (earlier: Timestamp, later: Timestamp) -> Bool {
        earlier.microseconds < later.microseconds
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds) - .microseconds(earlier.microseconds)
    }

    /// Adds a span, up to the last possible moment.
    ///
    /// A span may come from a server.
    package static func + (moment: Timestamp, span: Duration) -> Timestamp {
        let (seconds, attoseconds) = span.components
        let sum = Int128(moment.microseconds) + Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
        return Timestamp(microseconds: Int64(clamping: sum))
    }

    /// The lead that is tolerated, because a clock that was set right can lie a little behind earlier moments.
    private static let toleratedLead = Duration.seconds(60 * 60)

    /// Returns the age; nil if the moment is in the future.
    func age(at now: Timestamp) -> Duration? {
        let age = now - self
        return age >= .zero - Self.toleratedLead ? age : nil
    }
}

extension Timestamp {
    /// The moments that RFC 3339 can write: its years have four digits.
    package static let writable =
        Timestamp(microseconds: -62_167_219_200_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

    /// RFC 3339 in UTC with microseconds: `2026-03-29T01:59:59.000001Z`.
    package var rfc3339: String {
        var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        let date = Self.civilTime(seconds)
        return String(unsafeUninitializedCapacity: Self.length) { text in
            var end = 0
            func append(_ number: Int, _ width: Int, _ separator: Unicode.Scalar) {
                var number = number
                for index in (end..<end + width).reversed() {
                    text[index] = UInt8(ascii: "0") + UInt8(abs(number % 10))
                    number /= 10
                }
                text[end + width] = UInt8(ascii: separator)
                end += width + 1
            }
            append(Int(date.tm_year) + 1900, 4, "-")
            append(Int(date.tm_mon) + 1, 2, "-")
            append(Int(date.tm_mday), 2, "T")
            append(Int(date.tm_hour), 2, ":")
            append(Int(date.tm_min), 2, ":")
            append(Int(date.tm_sec), 2, ".")
            append(Int(rest), 6, "Z")
            return end
        }
    }

    /// The date in UTC: `2026-03-29`.
    package var day: String { String(rfc3339.prefix(10)) }

    private static let length = 27

    /// Reads what `rfc3339` writes, for the years of four digits, and nothing else.
    package init?(rfc3339 text: String) {
        let bytes = text.utf8Span.span
        guard bytes.count == Self.length else { return nil }
        var date = tm()
        date.tm_year = Self.number(in: bytes, 0..<4) - 1900
        date.tm_mon = Self.number(in: bytes, 5..<7) - 1
        date.tm_mday = Self.number(in: bytes, 8..<10)
        date.tm_hour = Self.number(in: bytes, 11..<13)
        date.tm_min = Self.number(in: bytes, 14..<16)
        date.tm_sec = Self.number(in: bytes, 17..<19)
        let rest = Self.number(in: bytes, 20..<26)
        let moment = Timestamp(microseconds: Int64(timegm(&date)) * 1_000_000 + Int64(rest))
        // Any other text names no moment, such as 31 February, or is not written in this way.
        guard moment.rfc3339 == text else { return nil }
        self = moment
    }

    private static func number(in bytes: Span<UInt8>, _ digits: Range<Int>) -> Int32 {
        var number: Int32 = 0
        for index in digits { number = number * 10 + Int32(bytes[index] & 15) }
        return number
    }

    private static func civilTime(_ seconds: Int64) -> tm {
        var time = time_t(seconds)
        var date = tm()
        gmtime_r(&time, &date)
        return date
    }
}
