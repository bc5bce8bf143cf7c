import FeedCore

extension ValueSyntax<String?> {
    static func folder(_ example: String) -> ValueSyntax { path(example, .folder) }

    /// `insteadOfURL`: what to do who has one.
    static func path(_ example: String, _ kind: ValueKind = .file, insteadOfURL: String? = nil) -> ValueSyntax {
        ValueSyntax(kind: kind) { text throws(InvalidValue) in
            guard !text.isEmpty else { throw InvalidValue(expected: "a path such as \(example)") }
            // Most likely the path was forgotten, and this is the operand behind it.
            guard !FeedOperand.isURL(text) else {
                let advice = insteadOfURL.map { ": \($0)" } ?? ""
                throw InvalidValue(expected: "a path such as \(example), not a URL\(advice)")
            }
            return text
        } write: {
            $0
        }
    }

    /// Those of libcurl's; without one it is http.
    private static let proxySchemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// libcurl passes by one whose user name or password has a control character, and says nothing.
    static let proxy = ValueSyntax { text throws(InvalidValue) in
        let mark = text.firstRange(of: "://")
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() }
        let place = mark.map { text[$0.upperBound...] } ?? text[...]
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !PercentEncoding.hidesControlCharacter(text),
            scheme.map(proxySchemes.contains) ?? true,
            text.isEmpty || hasHost(place.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
        else {
            throw InvalidValue(
                expected: "a proxy such as http://proxy.example:3128 or socks5h://proxy.example, or nothing for none")
        }
        return text
    } write: { _ in
        nil
    }

    /// With a port, if there is one, that can be one.
    private static func hasHost(_ authority: Substring) -> Bool {
        do { return try ResourceURL("http://\(authority)").host != nil } catch { return false }
    }

    /// As `path`; `-` is standard output, as everywhere.
    static let outputPath = ValueSyntax(kind: .file) { text throws(InvalidValue) in
        let path = try path("image.jpg").read(text)
        return path == "-" ? nil : path
    } write: {
        $0
    }
}

extension ValueSyntax<ResourceURL?> {
    /// What is added to it is a part of its path, so nothing else may follow that.
    static let pingURL = ValueSyntax { text throws(InvalidValue) in
        let url: ResourceURL?
        do { url = try ResourceURL(text) } catch { url = nil }
        guard let url, url.isRemote, !text.contains("?"), !text.contains("#") else {
            throw InvalidValue(expected: "an http or https URL without ? or #, such as https://hc-ping.com/UUID")
        }
        return url
    } write: { _ in
        nil
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

extension ValueSyntax<String> {
    /// As curl's: `Name: value`, or `Name;` for one without a value. A line break would be a header of its own.
    static let headerLine = ValueSyntax { text throws(InvalidValue) in
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        let isLine = text.utf8.contains(UInt8(ascii: ":")) || text.utf8.last == UInt8(ascii: ";")
        guard isLine, !name.isEmpty, name.allSatisfy({ $0 > 0x20 }),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw InvalidValue(expected: "a header such as 'X-Key: 1', without control characters")
        }
        return text
    } write: { _ in
        nil
    }
}
