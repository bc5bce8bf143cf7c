import FeedCore

extension ValueSyntax<String?> {
    static func directory(_ example: String) -> ValueSyntax { path(example, .directory) }

    /// Where a URL stands in its place, the path was most likely forgotten, and this is the operand behind it.
    static func path(_ example: String, _ kind: ValueKind = .file, insteadOfURL: String = "") -> ValueSyntax {
        aPath(example, kind, insteadOfURL).orNil()
    }

    /// As `path`; `-` is standard output, as everywhere.
    static let outputPath = aPath("image.jpg", .file, "").orNil("-")

    private static func aPath(_ example: String, _ kind: ValueKind, _ insteadOfURL: String) -> ValueSyntax<String> {
        ValueSyntax<String>(kind: kind, expected: "a path such as \(example), not a URL\(insteadOfURL)") { text in
            text.isEmpty || FeedOperand.isURL(text) ? nil : text
        }
    }

    /// The schemes that libcurl knows; a proxy without one is an http proxy.
    private static let proxySchemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// libcurl ignores one whose user name or password has a control character, and says nothing.
    static let proxy = ValueSyntax<String>(
        expected: "a proxy such as http://proxy.example:3128 or socks5h://proxy.example, or nothing for none"
    ) { text in
        let mark = text.firstRange(of: "://")
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() }
        let place = mark.map { text[$0.upperBound...] } ?? text[...]
        let host = place.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard isVisible(text), !text.contains(" "), !PercentEncoding.hidesControlCharacter(text),
            scheme.map(proxySchemes.contains) ?? true, text.isEmpty || url("http://\(host)")?.host != nil
        else { return nil }
        return text
    }.orNil()
}

extension ValueSyntax<ResourceURL?> {
    /// `/start` and the exit code are added to its path, so it may not have a query.
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

    /// Goes into a request as it is, so a line break in it would be a header of its own. Empty: no such header.
    static let headerText = ValueSyntax(expected: "text without control characters, such as mirror/1.0") { text in
        isVisible(text) ? text : nil
    }

    /// As curl's: `Name: value`, or `Name;` for one without a value.
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
