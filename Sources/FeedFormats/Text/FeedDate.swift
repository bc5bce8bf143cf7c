internal import FeedCore

/// A date as feeds write it: RFC 822 with or without its weekday, seconds, zone or century, and RFC 3339 or less of it.
/// Without a zone it counts as UTC.
struct FeedDate {
    private var year: Int?
    private var month: Int?
    private var day: Int?
    private var seconds = 0
    private var microseconds = 0
    private var offset = 0

    /// Nil for what tells no day.
    static func read(_ text: String) -> Timestamp? {
        var date = FeedDate()
        var words = text.utf8.prefix(100).split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }[...]
        if let first = words.first, let timeOfDay = date.readDashed(first) {
            words = words.dropFirst()
            if !timeOfDay.isEmpty { words = [timeOfDay] + words }
        }
        for word in words { date.read(word) }
        return date.timestamp
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let zones = [
        "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2,
        "bst": 1, "jst": 9,
    ]

    /// `2026-11-20`, and gives back what follows it: `T08:15:00+01:00`, or nothing. Nil for anything else.
    private mutating func readDashed(_ word: Substring.UTF8View) -> Substring.UTF8View? {
        let parts = word.split(separator: UInt8(ascii: "-"), maxSplits: 2)
        guard let first = parts.first, first.count == 4, let year = Self.number(first) else { return nil }
        self.year = year
        (month, day) = (1, 1)
        if parts.count > 1 { month = Self.number(parts[1]) }
        guard parts.count > 2 else { return word.suffix(0) }
        let digits = parts[2].prefix(while: Self.isDigit)
        day = Self.number(digits)
        return parts[2][digits.endIndex...].drop { $0 | 0x20 == UInt8(ascii: "t") }
    }

    private mutating func read(_ word: Substring.UTF8View) {
        guard let first = word.first else { return }
        if word.contains(UInt8(ascii: ":")), Self.isDigit(first) { return readTime(word) }
        if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { return readOffset(word) }
        if Self.isDigit(first) {
            // `20-Nov-26`.
            let parts = word.split(separator: UInt8(ascii: "-"))
            guard parts.count > 1 else { return readNumber(word) }
            for part in parts { read(part) }
            return
        }
        let name = Substring(word).lowercased()
        if let place = Self.months.firstIndex(of: String(name.prefix(3))) {
            month = place + 1
        } else if let hours = Self.zones[name] {
            offset = hours * 3600
        } else if name == "pm", seconds < 12 * 3600 {
            seconds += 12 * 3600
        }
    }

    private mutating func readNumber(_ word: Substring.UTF8View) {
        let digits = word.prefix(while: Self.isDigit)
        guard let number = Self.number(digits) else { return }
        if day == nil, digits.count <= 2 {
            day = number
        } else if year == nil, digits.count == 4 {
            year = number
        } else if year == nil, digits.count == 2 {
            year = number + (number < 70 ? 2000 : 1900)
        }
    }

    /// `08:15`, `08:15:00.25`, with a zone behind it or without.
    private mutating func readTime(_ word: Substring.UTF8View) {
        let time = word.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        let parts = time.split(separator: UInt8(ascii: ":")).map { $0.split(separator: UInt8(ascii: ".")) }
        let numbers = parts.compactMap { $0.first.flatMap(Self.number) }
        guard (2...3).contains(numbers.count), numbers[0] < 24, numbers[1] < 60 else { return }
        seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? min(numbers[2], 59) : 0)
        if let fraction = parts.last?.dropFirst().first {
            let digits = Array(fraction.prefix(6)) + [UInt8](repeating: 0x30, count: max(0, 6 - fraction.count))
            microseconds = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        let rest = word[time.endIndex...]
        if !rest.isEmpty { read(rest) }
    }

    /// `+0100`, `+01:00`, `+01`.
    private mutating func readOffset(_ word: Substring.UTF8View) {
        let digits = word.dropFirst().filter(Self.isDigit).map { Int($0 - 0x30) }
        guard digits.count >= 2 else { return }
        let minutes = digits.count >= 4 ? digits[2] * 10 + digits[3] : 0
        let size = (digits[0] * 10 + digits[1]) * 3600 + minutes * 60
        offset = word.first == UInt8(ascii: "-") ? -size : size
    }

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

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
