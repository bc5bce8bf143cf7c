import FeedCore

/// The kind of a value, for completions.
enum ValueKind: Hashable, Sendable {
    case text, file, directory, feed
    case words([String])
}

/// Parses one kind of value on the command line, in the environment and in the config file.
struct ValueSyntax<Value: Sendable>: Sendable {
    var kind = ValueKind.text
    /// Describes a valid value with an example, for messages.
    let expected: String
    let read: @Sendable (String) -> Value?

    /// Returns the syntax of an optional value, for which `word` means nil.
    func orNil(_ word: String? = nil, expected: String? = nil) -> ValueSyntax<Value?> {
        ValueSyntax<Value?>(kind: kind, expected: expected ?? self.expected) { [read] text in
            if text == word { return .some(.none) }
            return read(text).map { .some($0) }
        }
    }
}

extension ValueSyntax<MaxAge> {
    static let age = ValueSyntax(
        expected: "a number with a unit (s, m, h, d, w, y) such as 36h or 7d, or forever"
    ) { MaxAge($0) }
}

extension ValueSyntax<RequestPause?> {
    static let interval = ValueSyntax<RequestPause>(
        expected: "a number with a unit (s, m, h, d, w, y) such as 36h or 7d, forever, auto, or none"
    ) { $0 == "auto" ? .auto : MaxAge($0).map { .age($0) } }.orNil("none")
}

extension ValueSyntax<Keep?> {
    static let keep = ValueSyntax(
        expected: "none, forever, a number with a unit (s, m, h, d, w, y) such as 90d, or a whole number such as 500"
    ) { text in Keep(text).map { .some($0) } }
}

extension ValueSyntax<TreeTemplate> {
    static let treeTemplate = ValueSyntax(
        expected: "a relative path such as '{feed}/{date} {title}', made of text and of "
            + Phrases.list(TreeTemplate.Field.allCases.map { "{\($0.rawValue)}" }, "and")
    ) { TreeTemplate($0) }
}

extension ValueSyntax<Shard> {
    static let shard = ValueSyntax(
        expected: "a part, counted from 0, and the number of parts, such as 0/4 or 3/4"
    ) {
        Shard($0)
    }
}

extension ValueSyntax<Int64> {
    /// The largest size is an exabyte, so that sums of a few sizes cannot overflow.
    private static let largest: Int64 = 1 << 60

    static let size = ValueSyntax(
        expected: "a positive number of bytes such as 500, 500K, 64M or 1G, up to 1048576T"
    ) { text in
        let number = text.prefix { $0.isNumber }
        // 64M, 64MB and 64MiB are the same; a bare B is a byte.
        let suffix = text[number.endIndex...].uppercased()
        let unit = ByteCount.units.first { unit in
            ["", "B", "IB"].contains { suffix == unit.suffix + $0 }
        }
        guard unit != nil || suffix.isEmpty || suffix == "B" else { return nil }
        let shift = unit?.shift ?? 0
        guard let count = digits(number), count > 0, count <= largest >> shift else { return nil }
        return count << shift
    }
}

extension ValueSyntax<ImageSize?> {
    static let imageSize = ValueSyntax<ImageSize>(
        expected: "a width and a height in pixels such as 1920x1080, or none"
    ) { ImageSize($0) }.orNil("none")
}

extension ValueSyntax<Int?> {
    static let countOrAuto = ValueSyntax<Int>.count.orNil(
        "auto", expected: "a whole number from 1 to \(Int32.max), such as 8, or auto")
}

extension ValueSyntax<Int?> {
    static let limit = ValueSyntax<Int>.count.orNil(
        "none", expected: "a whole number from 1 to \(Int32.max), such as 8, or none")
}

extension ValueSyntax<String?> {
    static let feed = ValueSyntax<String>(kind: .feed, expected: "a URL, or the path of a local file") { text in
        text.isEmpty ? nil : text
    }.orNil()
}

extension ValueSyntax<Int64?> {
    static let rate = ValueSyntax<Int64>.size.orNil(
        "none", expected: "a positive number of bytes per second such as 500K or 2M, or none")
}

extension ValueSyntax<Int> {
    static let count = number(from: 1, example: 8)
    static let countOrNone = number(from: 0, example: 5)

    /// Parses a number of pages; `all` is the largest number.
    static let pageCount = ValueSyntax(expected: "a whole number from 1 to \(Int32.max), such as 8, or all") { text in
        text == "all" ? .max : count.read(text)
    }

    /// The largest number fits a C int, because C libraries receive these numbers.
    private static func number(from least: Int64, example: Int) -> ValueSyntax {
        ValueSyntax(expected: "a whole number from \(least) to \(Int32.max), such as \(example)") { text in
            digits(text[...]).flatMap { (least...Int64(Int32.max)).contains($0) ? Int($0) : nil }
        }
    }
}

extension ValueSyntax<Duration> {
    /// The longest time is eleven days, which fits a C int in milliseconds.
    private static let longest = 1_000_000

    static let seconds = ValueSyntax(expected: "seconds from 0 to under \(longest), such as 30 or 0.5") { text in
        // `.5` is half a second, as in curl.
        guard text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), text.utf8.last.map(isDigit) == true,
            let seconds = Double(text), seconds < Double(longest)
        else { return nil }
        return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }

    /// Zero is refused, because it means "at once" in some programs and "no limit" in others.
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
    /// The syntax of an enumeration: one of a few words.
    static var word: ValueSyntax {
        let words = Value.allCases.map(\.rawValue)
        return ValueSyntax(kind: .words(words), expected: Phrases.list(words, "or")) { Value(rawValue: $0) }
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func digits(_ text: Substring) -> Int64? { DecimalDigits.number(text) }

extension ValueSyntax<String> {
    /// Parses the path of an archive, with `-` for standard input.
    static let archivePath = ValueSyntax<String?>.aPath("old.tar", .file, "")
}

extension ValueSyntax<String?> {
    static func directory(_ example: String) -> ValueSyntax { path(example, .directory) }

    /// Parses a path.
    ///
    /// A URL is refused, because it means that the path was forgotten and this is the next operand.
    static func path(_ example: String, _ kind: ValueKind = .file, insteadOfURL: String = "") -> ValueSyntax {
        aPath(example, kind, insteadOfURL).orNil()
    }

    /// Parses a path, with `-` for standard output.
    static let outputPath = aPath("image.jpg", .file, "").orNil("-")

    fileprivate static func aPath(_ example: String, _ kind: ValueKind, _ insteadOfURL: String) -> ValueSyntax<String> {
        ValueSyntax<String>(kind: kind, expected: "a path such as \(example), not a URL\(insteadOfURL)") { text in
            text.isEmpty || FeedOperand.isURL(text) ? nil : text
        }
    }

    /// The proxy schemes of libcurl.
    ///
    /// A proxy without a scheme is an http proxy.
    private static let proxySchemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// Parses a proxy.
    ///
    /// A control character in its user name or password is refused here, because libcurl would silently ignore the
    /// credentials.
    static let proxy = ValueSyntax<String>(
        expected: "a proxy such as http://proxy.example:3128 or socks5h://proxy.example, or an empty value for no proxy"
    ) { text in
        let mark = text.firstRange(of: "://")
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() }
        let authority = mark.map { text[$0.upperBound...] } ?? text[...]
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard isVisible(text), !text.contains(" "), !PercentEncoding.hidesControlCharacter(text),
            scheme.map(proxySchemes.contains) ?? true, text.isEmpty || url("http://\(host)")?.host != nil
        else { return nil }
        return text
    }.orNil()
}

extension ValueSyntax<ResourceURL?> {
    /// Parses the ping URL.
    ///
    /// It cannot have a query, because `/start` and the exit code are appended to its path.
    static let pingURL = ValueSyntax<ResourceURL>(
        expected: "an http or https URL without ? or #, such as https://hc-ping.com/UUID"
    ) { text in
        guard let url = url(text), url.isRemote, !text.contains("?"), !text.contains("#") else { return nil }
        return url
    }.orNil()
}

extension ValueSyntax<String> {
    static let expression = ValueSyntax(expected: "a regular expression such as '/thumbs/'") { text in
        do {
            _ = try Regex(text)
            return text.isEmpty ? nil : text
        } catch {
            return nil
        }
    }

    /// Parses the value of a header.
    ///
    /// A line break would start another header. An empty value removes the header.
    static let headerText = ValueSyntax(expected: "text without control characters, such as mirror/1.0") { text in
        isVisible(text) ? text : nil
    }

    /// Parses a header line as curl does: `Name: value`, or `Name;` for a header without a value.
    static let headerLine = ValueSyntax(
        expected: "a header such as 'X-Key: 1', without control characters"
    ) { text in
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        let isLine = text.utf8.contains(UInt8(ascii: ":")) || text.utf8.last == UInt8(ascii: ";")
        return isLine && !name.isEmpty && name.allSatisfy { $0 > 0x20 } && isVisible(text) ? text : nil
    }
}

private func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

private func url(_ text: String) -> ResourceURL? {
    do { return try ResourceURL(text) } catch { return nil }
}
