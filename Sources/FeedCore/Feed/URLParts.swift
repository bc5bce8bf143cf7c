/// Checks the syntax of a URL. It is strict wherever two programs could read one URL in two ways.
struct URLParts {
    let scheme: URLScheme
    let text: String
    let credentials: String?

    init(_ given: String) throws(InvalidURL) {
        try Self.checkCharacters(of: given)
        guard let scheme = URLScheme(of: given.utf8Span.span) else { throw InvalidURL("not an http(s) URL") }
        self.scheme = scheme
        if scheme == .file {
            (text, credentials) = (try Self.fileText(given), nil)
        } else {
            (text, credentials) = try Self.webText(given, scheme)
        }
    }

    /// Characters beyond ASCII may stand as they are; to the server they go percent-encoded.
    static func checkCharacters(of given: String) throws(InvalidURL) {
        let bytes = given.utf8Span.span
        guard !bytes.isEmpty else { throw InvalidURL("empty") }
        for index in 0..<bytes.count {
            let byte = bytes[index]
            // U+0080 to U+009F, the second set of control characters, begin with C2.
            guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "\\"), byte != 0xC2 || bytes[index + 1] >= 0xA0 else {
                throw InvalidURL("contains a space, control character or backslash")
            }
        }
    }

    /// Linux takes no longer path (PATH_MAX, less the NUL at its end).
    private static let longestPath = 4095

    /// One file has many URLs, by what is percent-encoded and whether this machine is named; all become one text.
    private static func fileText(_ given: String) throws(InvalidURL) -> String {
        var rest = given.utf8.dropFirst("file:".utf8.count)
        if rest.starts(with: "//".utf8) {
            let authority = rest.dropFirst(2).prefix { !URLAuthority.isDelimiter($0) }
            guard authority.isEmpty || Substring(authority).lowercased() == "localhost" else {
                throw InvalidURL("names a file on another machine")
            }
            rest = rest[authority.endIndex...]
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.first == UInt8(ascii: "/") else { throw InvalidURL("a file: URL needs an absolute path") }
        guard let decoded = PercentEncoding.decode(path), !decoded.utf8.contains(0) else {
            throw InvalidURL("has a broken percent-encoding")
        }
        guard decoded.utf8.count <= longestPath else { throw InvalidURL("longer than \(longestPath) bytes") }
        return "file://" + PercentEncoding.encodePath(decoded)
    }

    private static func webText(
        _ given: String, _ scheme: URLScheme
    ) throws(InvalidURL) -> (text: String, credentials: String?) {
        let bytes = given.utf8Span.span
        let start = scheme.rawValue.utf8.count + 3
        guard bytes.count > start, bytes[start - 2] == UInt8(ascii: "/"), bytes[start - 1] == UInt8(ascii: "/") else {
            throw InvalidURL("has no host")
        }
        let authority = URLAuthority(of: bytes, at: start)
        try authority.check(in: bytes)
        if authority.userInfo == nil, !authority.needsASCII(in: bytes), scheme.isLowercase(in: bytes) {
            return (given, nil)
        }
        let host = try asciiHost(authority, in: given)
        let text = "\(scheme.rawValue)://\(host)" + given.slice(authority.host.upperBound..<bytes.count)
        let userInfo = authority.userInfo.map { given.slice($0) }
        return (text, userInfo.flatMap { $0.isEmpty ? nil : $0 })
    }

    private static func asciiHost(_ authority: URLAuthority, in given: String) throws(InvalidURL) -> String {
        let host = given.slice(authority.host)
        guard authority.needsASCII(in: given.utf8Span.span) else { return host }
        let ascii = try HostName.ascii(host)
        // A character may have stood for a slash or a colon.
        let whole = URLAuthority(of: ascii.utf8Span.span, at: 0)
        guard whole.host == 0..<ascii.utf8.count,
            ascii.utf8.allSatisfy({ 0x21..<0x7F ~= $0 && $0 != UInt8(ascii: "\\") })
        else { throw InvalidURL("has a host with characters no host has") }
        try whole.check(in: ascii.utf8Span.span)
        return ascii
    }
}

extension String {
    /// The text between two offsets in its UTF-8, each beside an ASCII character.
    func slice(_ range: Range<Int>) -> String {
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return String(self[start..<end])
    }
}
