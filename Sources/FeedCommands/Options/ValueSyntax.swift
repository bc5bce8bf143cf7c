import FeedCore

/// How a kind of value is written: in a command line, in the environment, and as a default in the help.
struct ValueSyntax<Value: Sendable>: Sendable {
    let read: @Sendable (String) throws(InvalidValue) -> Value
    let write: @Sendable (Value) -> String?
}

extension ValueSyntax<MaxAge> {
    private static let units: [(suffix: Character, seconds: Int64)] = [
        ("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]
    /// Over three thousand years. Beyond it, adding to a timestamp could overflow.
    private static let longest: Int64 = 100_000_000_000

    static let age = ValueSyntax { text throws(InvalidValue) in
        if text == "forever" { return .forever }
        guard let unit = units.first(where: { $0.suffix == text.last }), let number = digits(text.dropLast()),
            number <= longest / unit.seconds
        else {
            throw InvalidValue(expected: "a number with a unit (s, m, h, d, w) such as 36h or 7d, or forever")
        }
        return .span(.seconds(number * unit.seconds))
    } write: { age in
        guard case .span(let span) = age else { return "forever" }
        let seconds = span.components.seconds
        // Days before weeks: "7d" is how a week is written everywhere else.
        let unit = units.dropFirst().first { seconds % $0.seconds == 0 }
        return unit.map { "\(seconds / $0.seconds)\($0.suffix)" }
    }
}

extension ValueSyntax<Int64> {
    private static let units: [(suffix: Character, shift: Int)] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)]
    /// An exabyte, so that sums of a few sizes can't overflow.
    private static let largest: Int64 = 1 << 60

    static let size = ValueSyntax { text throws(InvalidValue) in
        let unit = units.first { text.last?.uppercased() == String($0.suffix) }
        guard let number = digits(unit == nil ? text[...] : text.dropLast()), number > 0,
            number <= largest >> (unit?.shift ?? 0)
        else {
            throw InvalidValue(expected: "a positive number of bytes such as 500, 500K, 64M or 1G")
        }
        return number << (unit?.shift ?? 0)
    } write: { size in
        let unit = units.first { size % (1 << $0.shift) == 0 }
        return unit.map { "\(size >> $0.shift)\($0.suffix)" } ?? "\(size)"
    }
}

extension ValueSyntax<Int> {
    static let count = number(from: 1, example: 8)
    static let countOrNone = number(from: 0, example: 5)

    /// Up to what a C int holds, as these numbers end up in C libraries.
    private static func number(from least: Int64, example: Int) -> ValueSyntax {
        ValueSyntax { text throws(InvalidValue) in
            guard let number = digits(text[...]), number >= least, number <= Int64(Int32.max) else {
                throw InvalidValue(expected: "a whole number from \(least) to \(Int32.max), such as \(example)")
            }
            return Int(number)
        } write: {
            "\($0)"
        }
    }
}

extension ValueSyntax<Duration> {
    /// Eleven days: in milliseconds it still fits a C int.
    private static let longest: Int64 = 1_000_000

    static let seconds = ValueSyntax { text throws(InvalidValue) in
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard let seconds = digits(parts[0]), !fraction.isEmpty, fraction.utf8.allSatisfy(isDigit),
            let nanoseconds = digits(fraction.padded(toNanoseconds: 9)), seconds < longest
        else {
            throw InvalidValue(expected: "seconds from 0 to under \(longest), such as 30 or 0.5")
        }
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    } write: { span in
        let (seconds, attoseconds) = span.components
        guard attoseconds != 0 else { return "\(seconds)" }
        let nanoseconds = String(attoseconds / 1_000_000_000)
        let fraction = String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
        return "\(seconds).\(String(fraction.reversed().drop { $0 == "0" }.reversed()))"
    }
}

extension ValueSyntax<Duration?> {
    /// No time at all is no limit anybody wants, and to curl it means none.
    static let timeLimit = ValueSyntax { text throws(InvalidValue) in
        if text == "none" { return nil }
        let limit: Duration?
        do { limit = try ValueSyntax<Duration>.seconds.read(text) } catch { limit = nil }
        guard let limit, limit > .zero else {
            throw InvalidValue(expected: "seconds above 0, such as 300 or 0.5, or none")
        }
        return limit
    } write: { limit in
        limit.flatMap { ValueSyntax<Duration>.seconds.write($0) }
    }
}

extension ValueSyntax<Bool> {
    static let flag = ValueSyntax { text throws(InvalidValue) in
        switch text {
        case "true", "1": true
        case "false", "0": false
        default: throw InvalidValue(expected: "true or false")
        }
    } write: { _ in
        nil
    }
}

extension ValueSyntax<String?> {
    static func path(_ example: String) -> ValueSyntax {
        ValueSyntax { text throws(InvalidValue) in
            guard !text.isEmpty else { throw InvalidValue(expected: "a path such as \(example)") }
            return text
        } write: {
            $0
        }
    }

    /// As `path`; `-` is standard output, as everywhere.
    static let outputPath = ValueSyntax { text throws(InvalidValue) in
        let path = try path("image.jpg").read(text)
        return path == "-" ? nil : path
    } write: {
        $0
    }
}

extension ValueSyntax<String> {
    /// Goes into a request as it is, so a line break in it would be a header of its own. Empty: no such header.
    static let headerText = ValueSyntax { text throws(InvalidValue) in
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw InvalidValue(expected: "text without control characters, such as mirror/1.0")
        }
        return text
    } write: {
        $0
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

/// Decimal digits alone; `Int64.init` would take a sign too.
private func digits(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
}

extension Substring {
    fileprivate func padded(toNanoseconds places: Int) -> Substring {
        prefix(places) + String(repeating: "0", count: Swift.max(0, places - count))
    }
}
