/// The syntax of a `ResourceURL`: strict where looseness lets two programs read one URL in two ways.
struct URLParts {
    let scheme: ResourceURL.Scheme
    let text: String
    let credentials: String?

    init(_ given: String) throws(InvalidURL) {
        let bytes = given.utf8
        guard !bytes.isEmpty else { throw InvalidURL(reason: "empty") }
        for byte in bytes where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") {
            throw InvalidURL(reason: "contains a space, control character or backslash")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let scheme = ResourceURL.Scheme(rawValue: String(given[..<colon]).lowercased())
        else { throw InvalidURL(reason: "not an http(s) URL") }
        self.scheme = scheme
        let rest = bytes[bytes.index(after: colon)...]
        if scheme == .file {
            (text, credentials) = (try Self.fileText(rest), nil)
        } else {
            (text, credentials) = try Self.webText(scheme, rest)
        }
    }

    /// `file:/p`, `file:///p` and `file://localhost/p` are one file, and one key.
    private static func fileText(_ rest: Substring.UTF8View) throws(InvalidURL) -> String {
        var path = Substring(rest)
        if path.hasPrefix("//localhost/") {
            path = path.dropFirst("//localhost".count)
        } else if path.hasPrefix("//") {
            path = path.dropFirst(2)
        }
        guard path.hasPrefix("/") else { throw InvalidURL(reason: "a file: URL needs an absolute path") }
        guard let decoded = PercentEncoding.decode(path.utf8), !decoded.utf8.contains(0) else {
            throw InvalidURL(reason: "has a broken percent-encoding")
        }
        return "file://" + path
    }

    private static func webText(
        _ scheme: ResourceURL.Scheme, _ rest: Substring.UTF8View
    ) throws(InvalidURL) -> (String, String?) {
        guard rest.starts(with: "//".utf8) else { throw InvalidURL(reason: "has no host") }
        let afterSlashes = rest.dropFirst(2)
        let authority = afterSlashes.prefix { !isDelimiter($0) }
        let tail = Substring(afterSlashes[authority.endIndex...])
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        try check(hostAndPort(of: host))
        let userInfo = at.map { String(Substring(authority[..<$0])) }
        return ("\(scheme.rawValue)://\(Substring(host))\(tail)", userInfo.flatMap { $0.isEmpty ? nil : $0 })
    }

    private static func check(_ authority: (host: String, port: String?)) throws(InvalidURL) {
        guard !authority.host.isEmpty, authority.host != "[]" else { throw InvalidURL(reason: "has no host") }
        guard authority.host.utf8.allSatisfy({ !forbiddenInHost.contains($0) }) else {
            throw InvalidURL(reason: "has a host with characters no host has")
        }
        if authority.host.hasPrefix("[") != authority.host.hasSuffix("]") {
            throw InvalidURL(reason: "has a malformed IPv6 address")
        }
        if let port = authority.port, !port.isEmpty,
            !port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) || UInt16(port) == nil
        {
            throw InvalidURL(reason: "has no valid port")
        }
    }

    private static let forbiddenInHost = Set("<>\"^`{|}%@ ".utf8)

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Splits what stands between `//` (or the user info) and the path.
    static func hostAndPort(of bytes: Substring.UTF8View) -> (host: String, port: String?) {
        let authority = bytes.prefix { !isDelimiter($0) }
        let afterBracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[afterBracket...].firstIndex(of: UInt8(ascii: ":")) else {
            return (String(Substring(authority)), nil)
        }
        return (String(Substring(authority[..<colon])), String(Substring(authority[authority.index(after: colon)...])))
    }
}
