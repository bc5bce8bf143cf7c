/// A date as HTTP writes it (RFC 9110, section 5.6.7).
///
/// | form         | example                          |
/// |--------------|----------------------------------|
/// | IMF-fixdate  | `Sun, 06 Nov 1994 08:49:37 GMT`  |
/// | RFC 850      | `Sunday, 06-Nov-94 08:49:37 GMT` |
/// | asctime      | `Sun Nov  6 08:49:37 1994`       |
///
/// Names are case-sensitive. The day of the week has to be one, but not the right one: the date is what was meant.
package enum HTTPDate {
    /// The clock decides in which century a two-digit year lies.
    package static func parse(_ text: some StringProtocol, now: Timestamp) -> Timestamp? {
        // No form has more than six pieces.
        let pieces = text.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false).map { String($0) }
        switch pieces.count {
        case 4: return rfc850(pieces, now)
        case 5: return asctime(pieces, day: number(pieces[2], digits: 2))
        case 6 where pieces[2].isEmpty: return asctime(pieces, day: number(pieces[3], digits: 1))
        case 6: return imfFixdate(pieces)
        default: return nil
        }
    }

    private static func imfFixdate(_ pieces: [String]) -> Timestamp? {
        guard shortDays.contains(where: { pieces[0] == $0 + "," }), pieces[5] == "GMT" else { return nil }
        guard let day = number(pieces[1], digits: 2), let month = month(pieces[2]) else { return nil }
        guard let year = number(pieces[3], digits: 4), let second = secondOfDay(pieces[4]) else { return nil }
        return Timestamp(year: year, month: month, day: day, secondOfDay: second)
    }

    private static func asctime(_ pieces: [String], day: Int64?) -> Timestamp? {
        guard shortDays.contains(pieces[0]), let month = month(pieces[1]), let day else { return nil }
        guard let year = number(pieces[pieces.count - 1], digits: 4) else { return nil }
        guard let second = secondOfDay(pieces[pieces.count - 2]) else { return nil }
        return Timestamp(year: year, month: month, day: day, secondOfDay: second)
    }

    private static func rfc850(_ pieces: [String], _ now: Timestamp) -> Timestamp? {
        guard longDays.contains(where: { pieces[0] == $0 + "," }), pieces[3] == "GMT" else { return nil }
        let date = pieces[1].split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        guard date.count == 3, let day = number(date[0], digits: 2), let month = month(date[1]) else { return nil }
        guard let shortYear = number(date[2], digits: 2), let second = secondOfDay(pieces[2]) else { return nil }
        // The latest year with these last digits that makes it no more than 50 years ahead.
        let year = stride(from: 9900 + shortYear, through: 0, by: -100).first { year in
            Timestamp(onDay: day, of: month, year - 50, second: second) <= now
        }
        return year.flatMap { Timestamp(year: $0, month: month, day: day, secondOfDay: second) }
    }

    private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func month(_ name: some StringProtocol) -> Int64? {
        months.firstIndex { $0 == name }.map { Int64($0 + 1) }
    }

    private static func secondOfDay(_ time: String) -> Int64? {
        let parts = time.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), hour < 24 else { return nil }
        guard let minute = number(parts[1], digits: 2), minute < 60 else { return nil }
        // 60 is a leap second.
        guard let second = number(parts[2], digits: 2), second <= 60 else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int64? {
        guard text.utf8.count == digits else { return nil }
        var number: Int64 = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
