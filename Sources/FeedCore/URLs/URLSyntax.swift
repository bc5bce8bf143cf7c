import CIDN

/// The reason why a text is not the URL of a feed or image, in words that follow "URL: ".
package struct InvalidURL: Error, Equatable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

package enum URLScheme: String, Sendable {
    case http, https, file

    /// Reads the scheme at the beginning of a text, in any case.
    package init?(of bytes: Span<UInt8>) {
        guard bytes.count > 5 else { return nil }
        var word: UInt32 = 0
        for index in 0..<4 { word = word << 8 | UInt32(bytes[index] | 0x20) }
        let colon = UInt8(ascii: ":")
        switch word {
        case 0x6874_7470 where bytes[4] == colon: self = .http
        case 0x6874_7470 where bytes[4] | 0x20 == UInt8(ascii: "s") && bytes[5] == colon: self = .https
        case 0x6669_6C65 where bytes[4] == colon: self = .file
        default: return nil
        }
    }

    /// The port that a URL may leave out.
    ///
    /// It has no meaning for a file.
    var usualPort: Int { self == .http ? 80 : 443 }

    /// Whether a text that begins with this scheme writes it in small letters.
    func isLowercase(in bytes: Span<UInt8>) -> Bool {
        for index in 0..<rawValue.utf8.count where bytes[index] & 0x20 == 0 { return false }
        return true
    }
}

/// Checks the syntax of a URL.
///
/// It is strict wherever two programs could read one URL in two ways.
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

/// What stands between `//` and the path of a URL, as offsets into its bytes: `user:password@host:port`.
struct URLAuthority {
    private(set) var userInfo: Range<Int>?
    private(set) var host: Range<Int>
    private(set) var port: Range<Int>?
    let end: Int

    init(of bytes: Span<UInt8>, at start: Int) {
        var end = start
        var hostStart = start
        while end < bytes.count, !Self.isDelimiter(bytes[end]) {
            // A password may have an @ in it, a host never: the last one counts.
            if bytes[end] == UInt8(ascii: "@") { hostStart = end + 1 }
            end += 1
        }
        if hostStart > start { userInfo = start..<(hostStart - 1) }
        var colon = hostStart
        var isInBrackets = false
        while colon < end, isInBrackets || bytes[colon] != UInt8(ascii: ":") {
            if bytes[colon] == UInt8(ascii: "[") { isInBrackets = true }
            if bytes[colon] == UInt8(ascii: "]") { isInBrackets = false }
            colon += 1
        }
        host = hostStart..<colon
        if colon < end { port = (colon + 1)..<end }
        self.end = end
    }

    static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    func check(in bytes: Span<UInt8>) throws(InvalidURL) {
        guard !host.isEmpty else { throw InvalidURL("has no host") }
        if bytes[host.lowerBound] == UInt8(ascii: "[") {
            guard Self.isIPv6Literal(bytes, host) else { throw InvalidURL("has a malformed IPv6 address") }
        } else {
            for index in host where Self.isForbiddenInHost(bytes[index]) {
                throw InvalidURL("has a host with characters no host has")
            }
        }
        if let port { try Self.check(port: port, in: bytes) }
    }

    /// Whether the host has characters beyond ASCII, which have a form in it.
    func needsASCII(in bytes: Span<UInt8>) -> Bool {
        for index in host where bytes[index] >= 0x80 { return true }
        return false
    }

    /// Nothing after the colon is the scheme's own port.
    private static func check(port: Range<Int>, in bytes: Span<UInt8>) throws(InvalidURL) {
        guard !port.isEmpty else { return }
        var number = 0
        for index in port {
            let digit = Int(bytes[index]) - 0x30
            guard (0...9).contains(digit), number <= 65_535 else { throw InvalidURL("has no valid port") }
            number = number * 10 + digit
        }
        guard (1...65_535).contains(number) else { throw InvalidURL("has no valid port") }
    }

    private static func isForbiddenInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "%"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func isIPv6Literal(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
        guard host.count > 2, bytes[host.upperBound - 1] == UInt8(ascii: "]") else { return false }
        var inner: [UInt8] = []
        for index in host.dropFirst().dropLast() { inner.append(bytes[index]) }
        return NetworkAddress(presentation: String(decoding: inner, as: UTF8.self))?.isIPv6 == true
    }
}

/// The form of a host name that is requested, compared and stored: ASCII, converted by the same IDNA rules as in
/// libcurl (libidn2 with the same flags).
///
/// With other rules, two names could be one origin here and two servers for libcurl, and one server could get the
/// password of the other.
package enum HostName {
    /// Returns the name in ASCII.
    ///
    /// The case of an ASCII name stays.
    package static func ascii(_ name: String) throws(InvalidURL) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var ascii: UnsafeMutablePointer<CChar>?
        defer { idn2_free(ascii) }
        let modern = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var code = idn2_to_ascii_8z(name, &ascii, modern)
        // libcurl, too, tries the older rules for names that the newer rules refuse.
        if code != IDN2_OK.rawValue { code = idn2_to_ascii_8z(name, &ascii, CInt(IDN2_TRANSITIONAL.rawValue)) }
        guard code == IDN2_OK.rawValue, let ascii else {
            throw InvalidURL("has a host that is no domain name: \(String(cString: idn2_strerror(code)))")
        }
        return String(cString: ascii)
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
