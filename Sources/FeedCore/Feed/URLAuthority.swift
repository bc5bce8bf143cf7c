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
