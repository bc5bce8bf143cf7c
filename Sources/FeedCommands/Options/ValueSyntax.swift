import FeedCore

/// What a shell can complete a value with.
enum ValueKind: Hashable, Sendable {
    case text, file, folder
    case words([String])
}

/// How a kind of value is written: on a command line, in the environment, in the config file, and as a default in the
/// help.
struct ValueSyntax<Value: Sendable>: Sendable {
    var kind = ValueKind.text
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
    /// An exabyte, so that sums of a few sizes can't overflow.
    private static let largest: Int64 = 1 << 60

    static let size = ValueSyntax { text throws(InvalidValue) in
        let unit = ByteCount.units.first { text.last?.uppercased() == $0.suffix }
        guard let number = digits(unit == nil ? text[...] : text.dropLast()), number > 0,
            number <= largest >> (unit?.shift ?? 0)
        else {
            throw InvalidValue(expected: "a positive number of bytes such as 500, 500K, 64M or 1G, up to 1048576T")
        }
        return number << (unit?.shift ?? 0)
    } write: {
        ByteCount.value($0)
    }
}

extension ValueSyntax<Int64?> {
    static let rate = ValueSyntax { text throws(InvalidValue) in
        if text == "none" { return nil }
        do {
            return try ValueSyntax<Int64>.size.read(text)
        } catch {
            throw InvalidValue(expected: "a positive number of bytes a second such as 500K or 2M, or none")
        }
    } write: { rate in
        rate.flatMap { ValueSyntax<Int64>.size.write($0) }
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

    /// Zero would mean "at once" to some and "never" to others.
    static let timeout = ValueSyntax { text throws(InvalidValue) in
        guard let timeout = span(inSeconds: text), timeout > .zero else {
            throw InvalidValue(expected: "seconds above 0 and under \(longest), such as 30 or 0.5")
        }
        return timeout
    } write: {
        seconds.write($0)
    }

    static let seconds = ValueSyntax { text throws(InvalidValue) in
        guard let span = span(inSeconds: text) else {
            throw InvalidValue(expected: "seconds from 0 to under \(longest), such as 30 or 0.5")
        }
        return span
    } write: { span in
        let (seconds, attoseconds) = span.components
        guard attoseconds != 0 else { return "\(seconds)" }
        let nanoseconds = String(attoseconds / 1_000_000_000)
        let fraction = String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
        return "\(seconds).\(String(fraction.reversed().drop { $0 == "0" }.reversed()))"
    }

    private static func span(inSeconds text: String) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        // As curl has it, `.5` is half a second.
        let whole = parts.count == 2 && parts[0].isEmpty ? "0" : parts[0]
        guard let seconds = digits(whole), !fraction.isEmpty, fraction.utf8.allSatisfy(isDigit),
            let nanoseconds = digits(fraction.padded(toNanoseconds: 9)), seconds < longest
        else { return nil }
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }
}

extension ValueSyntax<Duration?> {
    /// No time at all is no limit anybody wants, and to curl it means none.
    static let timeLimit = ValueSyntax { text throws(InvalidValue) in
        if text == "none" { return nil }
        let limit: Duration?
        do { limit = try ValueSyntax<Duration>.seconds.read(text) } catch { limit = nil }
        guard let limit, limit > .zero else {
            throw InvalidValue(expected: "seconds above 0 and under 1000000, such as 300 or 0.5, or none")
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

extension ValueSyntax where Value: CaseIterable & RawRepresentable<String> {
    /// One of a few words.
    static var word: ValueSyntax {
        let words = Value.allCases.map(\.rawValue)
        return ValueSyntax(kind: .words(words)) { text throws(InvalidValue) in
            guard let value = Value(rawValue: text) else {
                throw InvalidValue(expected: Phrases.list(words, "or"))
            }
            return value
        } write: {
            $0.rawValue
        }
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
