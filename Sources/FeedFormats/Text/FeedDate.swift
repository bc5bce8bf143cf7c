internal import FeedCore

/// Parses the dates of feeds: RFC 822 with or without its weekday, seconds, zone or century, RFC 3339 or a beginning of
/// it, and the numbers and names that people write in several languages.
///
/// A date without a zone is in UTC.
struct FeedDate {
    private var rest: ArraySlice<UInt8>
    private var year: Int?
    private var month: Int?
    private var day: Int?
    private var seconds = 0
    private var microseconds = 0
    private var offset = 0

    /// Returns nil for a text without a day.
    static func read(_ text: String) -> Timestamp? {
        var date = FeedDate(rest: Array(text.utf8.prefix(100)).drop { $0 <= 0x20 })
        date.readDashed()
        while let first = date.rest.first {
            switch first {
            case 0x30...0x39: date.readDigits()
            case UInt8(ascii: "+"), UInt8(ascii: "-"): date.readOffset()
            default:
                let word = date.take(while: Self.isLetter)
                if word.isEmpty { date.rest.removeFirst() } else { date.readName(word) }
            }
        }
        return date.timestamp
    }

    /// Reads `2026-11-20`, `2026-11` or `2026`.
    ///
    /// A slash or a dot may replace the dash.
    private mutating func readDashed() {
        let digits = rest.prefix(while: Self.isDigit).count
        let next = rest.dropFirst(digits).first
        let isSeparated = next.map { "-/.".utf8.contains($0) } == true
        guard digits == 4, next == nil || isSeparated || next.map(Self.isLetter) == true else { return }
        (year, month, day) = (takeNumber()?.value, 1, 1)
        guard let next, isSeparated else { return }
        for number in [\FeedDate.month, \FeedDate.day] where rest.first == next {
            rest.removeFirst()
            self[keyPath: number] = takeNumber()?.value
        }
    }

    /// Reads the rest of `20.11.2026` behind its day, and returns whether it was there.
    private mutating func readDotted(day number: Int) -> Bool {
        let before = rest
        if take("."), let month = takeNumber(), month.digits <= 2, take("."), let year = takeNumber(), year.digits == 4
        {
            (self.day, self.month, self.year) = (number, month.value, year.value)
            return true
        }
        rest = before
        return false
    }

    /// Reads a day, a year, or a time such as `08:15` or `08:15:00.25`.
    private mutating func readDigits() {
        guard let (number, digits) = takeNumber() else { return }
        if take(":") {
            guard number < 24, let minutes = takeNumber()?.value, minutes < 60 else { return }
            seconds = number * 3600 + minutes * 60
            if take(":"), let more = takeNumber()?.value { seconds += min(more, 59) }
            if take(".") { readFraction() }
        } else if day == nil, digits <= 2 {
            if readDotted(day: number) { return }
            day = number
            // The day may be that of `20-Nov-26`.
            _ = take("-")
        } else if year == nil, digits == 4 {
            year = number
        } else if year == nil, digits == 2 {
            year = number + (number < 70 ? 2000 : 1900)
        }
    }

    private mutating func readFraction() {
        var unit = 100_000
        for digit in take(while: Self.isDigit) {
            microseconds += Int(digit - 0x30) * unit
            unit /= 10
        }
    }

    /// Reads `+0100`, `+01:00` or `+01`.
    private mutating func readOffset() {
        let sign = rest.removeFirst() == UInt8(ascii: "-") ? -1 : 1
        guard let (number, digits) = takeNumber() else { return }
        let (hours, minutes) = digits > 2 ? (number / 100, number % 100) : (number, take(":") ? takeNumber()?.value : 0)
        offset = sign * (hours * 3600 + (minutes ?? 0) * 60)
    }

    private mutating func readName(_ word: ArraySlice<UInt8>) {
        let name = Self.withoutAccents(String(decoding: word, as: UTF8.self).lowercased())
        if let number = Self.month(named: name) {
            month = number
            _ = take("-")
        } else if let hours = Self.zones[name] {
            offset = hours * 3600
        } else if name == "pm", seconds < 12 * 3600 {
            seconds += 12 * 3600
        } else if name == "am", seconds >= 12 * 3600 {
            seconds -= 12 * 3600
        }
    }

    /// Returns the number of a month.
    ///
    /// The first three letters tell the months apart in English, Portuguese, Spanish, French, German and Italian,
    /// except for the French June and July. Where a day of the week begins like a month, as the French Tuesday does,
    /// the month that follows replaces it.
    private static func month(named name: String) -> Int? {
        if name.hasPrefix("jui") { return name.hasPrefix("juil") ? 7 : 6 }
        return months[String(name.prefix(3))]
    }

    private static let months: [String: Int] = [
        "jan": 1, "ene": 1, "gen": 1, "feb": 2, "fev": 2, "mar": 3, "mrz": 3, "apr": 4, "abr": 4, "avr": 4, "may": 5,
        "mai": 5, "mag": 5, "jun": 6, "giu": 6, "jul": 7, "lug": 7, "aug": 8, "ago": 8, "aou": 8, "sep": 9, "set": 9,
        "oct": 10, "out": 10, "okt": 10, "ott": 10, "nov": 11, "dec": 12, "dez": 12, "dic": 12,
    ]

    /// Returns the name with the letters of ASCII in place of the accented ones in the names of months.
    private static func withoutAccents(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
        var plain = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !(0x300...0x36F).contains(scalar.value) {
            plain.append(accents[scalar] ?? scalar)
        }
        return String(plain)
    }

    private static let accents: [Unicode.Scalar: Unicode.Scalar] = [
        "ä": "a", "á": "a", "é": "e", "ê": "e", "û": "u", "ü": "u", "ç": "c", "ì": "i", "í": "i",
    ]

    private static let zones = [
        "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2,
        "bst": 1, "jst": 9,
    ]

    private var timestamp: Timestamp? {
        guard let year, let month, let day, (1...12).contains(month), (1900...9998).contains(year) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let dayOfYear = lengths[..<(month - 1)].reduce(day - 1, +)
        // 1 January 1970 is day 719,162.
        let days = before * 365 + leapDays + dayOfYear - 719_162
        let second = Int64(days) * 86_400 + Int64(seconds - offset)
        return Timestamp(microseconds: second * 1_000_000 + Int64(microseconds))
    }

    // MARK: Characters

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80 }

    private mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return taken
    }

    /// Takes the sign, and returns whether it was next.
    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes a number.
    ///
    /// It returns nil for more than four digits, and takes those, too.
    private mutating func takeNumber() -> (value: Int, digits: Int)? {
        let taken = take(while: Self.isDigit)
        guard (1...4).contains(taken.count) else { return nil }
        return (taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }, taken.count)
    }
}
