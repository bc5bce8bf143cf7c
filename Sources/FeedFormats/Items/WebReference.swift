internal import FeedCore

/// A reference as browsers read it (the URL standard), rewritten by the narrower rules of RFC 3986.
struct WebReference {
    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")

    private let text: String

    init(_ given: String) { text = Self.cleaned(given) }

    func begins(with scheme: String) -> Bool {
        Substring(text.utf8.prefix(scheme.utf8.count)).lowercased() == scheme
    }

    /// The resource that the reference means on a page at `base`.
    func resolved(on base: ResourceURL) throws(InvalidURL) -> ResourceURL {
        guard !text.isEmpty else { throw InvalidURL("empty") }
        if isWhole { return try ResourceURL(text) }
        let reference = withTwoSlashes(on: base)
        guard !Self.meansPage(reference) else { throw InvalidURL("means the page itself") }
        return try base.resolving(reference)
    }

    /// Whether the reference has nothing but a fragment, with or without a question mark before it.
    private static func meansPage(_ reference: String) -> Bool {
        let rest = reference.utf8.first == UInt8(ascii: "?") ? reference.utf8.dropFirst() : reference.utf8[...]
        return rest.isEmpty || rest.first == UInt8(ascii: "#")
    }

    /// Whether the reference is an absolute URL without dot segments, as most are, which needs no resolving. A dot
    /// segment may begin at "/.".
    private var isWhole: Bool {
        let bytes = text.utf8Span.span
        guard let scheme = URLScheme(of: bytes), scheme != .file else { return false }
        let start = scheme.rawValue.utf8.count + 3
        guard bytes.count > start, bytes[start - 2] == Self.slash, bytes[start - 1] == Self.slash,
            bytes[start] != Self.slash
        else { return false }
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: ".") && bytes[index - 1] == Self.slash {
            return false
        }
        return true
    }

    /// Any number of slashes before a host counts as two. With the page's own scheme and fewer than two slashes, there
    /// is no host but a path on the page's host.
    private func withTwoSlashes(on base: ResourceURL) -> String {
        let scheme = URLScheme(of: text.utf8Span.span)
        guard scheme != .file else { return text }
        let rest = text.utf8.dropFirst(scheme.map { $0.rawValue.utf8.count + 1 } ?? 0)
        let path = rest.drop { $0 == Self.slash }
        let slashes = rest.count - path.count
        guard let scheme else { return slashes > 2 && base.isRemote ? "//\(Substring(path))" : text }
        guard scheme == base.scheme, slashes < 2 else { return "\(scheme.rawValue)://\(Substring(path))" }
        // A name with a colon would look like a scheme.
        let isName = slashes == 0 && !path.isEmpty && path.first != UInt8(ascii: "?") && path.first != UInt8(ascii: "#")
        return "\(isName ? "./" : "")\(Substring(rest))"
    }

    /// Removes white space around the reference and line breaks in it. Spaces in it are encoded; before the query, a
    /// backslash becomes a slash.
    static func cleaned(_ reference: String) -> String {
        let isClean = !reference.utf8.contains { $0 <= 0x20 || $0 == backslash }
        if isClean { return reference }
        let bytes = reference.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let start = bytes.drop { $0 <= 0x20 }
        var cleaned: [UInt8] = []
        var isInPath = true
        for byte in start[..<(start.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start.startIndex)] {
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isInPath = false }
            let isSlash = byte == backslash && isInPath
            PercentEncoding.append(
                isSlash ? slash : byte, to: &cleaned, isEncoded: byte == 0x20 || byte == backslash && !isInPath)
        }
        return String(decoding: cleaned, as: UTF8.self)
    }
}
