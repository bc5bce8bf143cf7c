import FeedCore

/// The values that a shell can offer.
enum ValueKind: Hashable, Sendable {
    case text, file, directory
    case words([String])
}

/// How a kind of value is written on a command line, in the environment and in the config file.
struct ValueSyntax<Value: Sendable>: Sendable {
    var kind = ValueKind.text
    /// Describes a right value, with an example, where a text is none.
    let expected: String
    let read: @Sendable (String) -> Value?

    /// For what may be left unset, which `word` does.
    func orNil(_ word: String? = nil, expected: String? = nil) -> ValueSyntax<Value?> {
        ValueSyntax<Value?>(kind: kind, expected: expected ?? self.expected) { [read] text in
            if text == word { return .some(.none) }
            return read(text).map { .some($0) }
        }
    }
}

extension ValueSyntax<MaxAge> {
    static let age = ValueSyntax(
        expected: "a number with a unit (s, m, h, d, w) such as 36h or 7d, or forever"
    ) { MaxAge($0) }
}

extension ValueSyntax<MaxAge?> {
    static let interval = ValueSyntax<MaxAge>.age.orNil(
        "none", expected: "a number with a unit (s, m, h, d, w) such as 36h or 7d, forever, or none")
}

extension ValueSyntax<Keep?> {
    static let keep = ValueSyntax(
        expected: "none, forever, a number with a unit (s, m, h, d, w) such as 90d, or a whole number such as 500"
    ) { text in Keep(text).map { .some($0) } }
}

extension ValueSyntax<TreeTemplate> {
    static let treeTemplate = ValueSyntax(
        expected: "names below the directory, such as '{feed}/{date} {title}', of text and of "
            + Phrases.list(TreeTemplate.Field.allCases.map { "{\($0.rawValue)}" }, "and")
    ) { TreeTemplate($0) }
}

extension ValueSyntax<Shard> {
    static let shard = ValueSyntax(
        expected: "a part and how many there are, the parts counted from 0, such as 0/4 or 3/4"
    ) {
        Shard($0)
    }
}

extension ValueSyntax<Int64> {
    /// An exabyte, so that sums of a few sizes can't overflow.
    private static let largest: Int64 = 1 << 60

    static let size = ValueSyntax(
        expected: "a positive number of bytes such as 500, 500K, 64M or 1G, up to 1048576T"
    ) { text in
        let unit = ByteCount.units.first { text.last?.uppercased() == $0.suffix }
        let shift = unit?.shift ?? 0
        guard let number = digits(unit == nil ? text[...] : text.dropLast()), number > 0, number <= largest >> shift
        else { return nil }
        return number << shift
    }
}

extension ValueSyntax<Int?> {
    static let countOrAuto = ValueSyntax<Int>.count.orNil(
        "auto", expected: "a whole number from 1 to \(Int32.max), such as 8, or auto")
}

extension ValueSyntax<Int64?> {
    static let rate = ValueSyntax<Int64>.size.orNil(
        "none", expected: "a positive number of bytes a second such as 500K or 2M, or none")
}

extension ValueSyntax<Int> {
    static let count = number(from: 1, example: 8)
    static let countOrNone = number(from: 0, example: 5)

    /// Up to what a C int holds, as these numbers end up in C libraries.
    private static func number(from least: Int64, example: Int) -> ValueSyntax {
        ValueSyntax(expected: "a whole number from \(least) to \(Int32.max), such as \(example)") { text in
            digits(text[...]).flatMap { (least...Int64(Int32.max)).contains($0) ? Int($0) : nil }
        }
    }
}

extension ValueSyntax<Duration> {
    /// Eleven days: in milliseconds it still fits a C int.
    private static let longest = 1_000_000

    static let seconds = ValueSyntax(expected: "seconds from 0 to under \(longest), such as 30 or 0.5") { text in
        // As curl has it, `.5` is half a second.
        guard text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), text.utf8.last.map(isDigit) == true,
            let seconds = Double(text), seconds < Double(longest)
        else { return nil }
        return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }

    /// Zero would mean "at once" to some and "never" to others.
    static let timeout = ValueSyntax(expected: "seconds above 0 and under \(longest), such as 30 or 0.5") { text in
        seconds.read(text).flatMap { $0 > .zero ? $0 : nil }
    }
}

extension ValueSyntax<Duration?> {
    static let timeLimit = ValueSyntax<Duration>.timeout.orNil(
        "none", expected: "seconds above 0 and under 1000000, such as 300 or 0.5, or none")
}

extension ValueSyntax<Bool> {
    static let flag = ValueSyntax(expected: "true or false") { text in
        switch text {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }
}

extension ValueSyntax where Value: CaseIterable & RawRepresentable<String> {
    /// One of a few words.
    static var word: ValueSyntax {
        let words = Value.allCases.map(\.rawValue)
        return ValueSyntax(kind: .words(words), expected: Phrases.list(words, "or")) { Value(rawValue: $0) }
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func digits(_ text: Substring) -> Int64? { DecimalDigits.number(text) }
