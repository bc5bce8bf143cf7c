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

    /// Nil where the moment can't be true.
    func age(at now: Timestamp) -> Duration? {
        let age = now - self
        return age >= .zero - Self.toleratedLead ? age : nil
    }
}

extension Timestamp {
    /// Those that RFC 3339 has a text for: its years have four digits.
    package static let writable =
        Timestamp(microseconds: -62_167_219_200_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

    /// RFC 3339 in UTC with microseconds: `2026-03-29T01:59:59.000001Z`.
    package var rfc3339: String {
        let (seconds, micros) = floorDivide(microseconds, 1_000_000)
        let (days, secondOfDay) = floorDivide(seconds, 86_400)
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        let clock = "\(pad(secondOfDay / 3600, 2)):\(pad(secondOfDay / 60 % 60, 2)):\(pad(secondOfDay % 60, 2))"
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(clock).\(pad(micros, 6))Z"
    }

    /// Reads what `rfc3339` writes, for the years of four digits, and nothing else.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00.000000Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        var numbers: [Int64] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard (0x30...0x39).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - 0x30)
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard numbers[3] < 24, numbers[4] < 60, numbers[5] < 60 else { return nil }
        let second = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
        guard let moment = Timestamp(year: year, month: month, day: day, secondOfDay: second) else { return nil }
        self.init(microseconds: moment.microseconds + numbers[6])
    }

    /// Nil for a day that its month doesn't have.
    init?(year: Int64, month: Int64, day: Int64, secondOfDay second: Int64) {
        let days = Self.daysSince1970(year: year, month: month, day: day)
        // A day that there is comes back as itself.
        guard Self.civilDate(daysSince1970: days) == (year, month, day) else { return nil }
        self.init(onDay: day, of: month, year, second: second)
    }

    /// A day that its month doesn't have is one of the next.
    init(onDay day: Int64, of month: Int64, _ year: Int64, second: Int64) {
        let days = Self.daysSince1970(year: year, month: month, day: day)
        self.init(microseconds: (days * 86_400 + second) * 1_000_000)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivide(shifted, 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The proleptic Gregorian date of a day, counted in eras of 400 years that begin on 1 March of year 0, so that the
    /// leap day is the last of its year.
    private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

private func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

private func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
