internal import Glibc

/// A moment in microseconds since 1970 UTC: an integer, so that what is saved comes back exact.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (earlier: Timestamp, later: Timestamp) -> Bool {
        earlier.microseconds < later.microseconds
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds) - .microseconds(earlier.microseconds)
    }

    /// Stops at the last moment there is: a span may come from a server.
    package static func + (moment: Timestamp, span: Duration) -> Timestamp {
        let (seconds, attoseconds) = span.components
        let sum = Int128(moment.microseconds) + Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)
        return Timestamp(microseconds: Int64(clamping: sum))
    }

    /// A clock set right after something was noted may lie a little behind it; more than this is a broken timestamp.
    private static let toleratedLead = Duration.seconds(60 * 60)

    /// Nil if the moment can't be true.
    func age(at now: Timestamp) -> Duration? {
        let age = now - self
        return age >= .zero - Self.toleratedLead ? age : nil
    }
}

extension Timestamp {
    /// RFC 3339 can write these moments: its years have four digits.
    package static let writable =
        Timestamp(microseconds: -62_167_219_200_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

    /// RFC 3339 in UTC with microseconds: `2026-03-29T01:59:59.000001Z`.
    package var rfc3339: String {
        var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        let date = Self.civilTime(seconds)
        let day = "\(pad(Int(date.tm_year) + 1900, 4))-\(pad(Int(date.tm_mon) + 1, 2))-\(pad(Int(date.tm_mday), 2))"
        let clock = "\(pad(Int(date.tm_hour), 2)):\(pad(Int(date.tm_min), 2)):\(pad(Int(date.tm_sec), 2))"
        return "\(day)T\(clock).\(pad(Int(rest), 6))Z"
    }

    /// Reads what `rfc3339` writes, for the years of four digits, and nothing else.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00.000000Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        var numbers: [Int32] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard (0x30...0x39).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int32(byte - 0x30)
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (date.tm_hour, date.tm_min, date.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let moment = Timestamp(microseconds: Int64(timegm(&date)) * 1_000_000 + Int64(numbers[6]))
        // A moment that there is comes back as itself: there is no 31 February.
        guard moment.rfc3339 == text else { return nil }
        self = moment
    }

    private static func civilTime(_ seconds: Int64) -> tm {
        var time = time_t(seconds)
        var date = tm()
        gmtime_r(&time, &date)
        return date
    }
}

private func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
