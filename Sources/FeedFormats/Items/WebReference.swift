internal import FeedCore

/// A reference that is parsed as browsers parse it (the URL standard) and rewritten for the stricter rules of RFC 3986.
struct WebReference {
    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")

    private let text: String

    init(_ given: String) { text = Self.cleaned(given) }

    func begins(with scheme: String) -> Bool {
        Substring(text.utf8.prefix(scheme.utf8.count)).lowercased() == scheme
    }

    /// Returns whether a reference means the same on every page, without examining all of it.
    static func isAbsolute(_ reference: String) -> Bool {
        ["https://", "http://", "data:"].contains { reference.utf8.starts(with: $0.utf8) }
    }

    /// Returns the URL that the reference means on a page at `base`.
    func resolved(on base: ResourceURL) throws(InvalidURL) -> ResourceURL {
        guard !text.isEmpty else { throw InvalidURL("empty") }
        if isWhole { return try ResourceURL(text) }
        let reference = withTwoSlashes(on: base)
        guard !Self.meansPage(reference) else { throw InvalidURL("means the page itself") }
        return try base.resolving(reference)
    }

    /// Returns whether the reference consists of a fragment, with or without a question mark before it.
    private static func meansPage(_ reference: String) -> Bool {
        let rest = reference.utf8.first == UInt8(ascii: "?") ? reference.utf8.dropFirst() : reference.utf8[...]
        return rest.isEmpty || rest.first == UInt8(ascii: "#")
    }

    /// Whether the reference is an absolute URL without dot segments, which needs no resolving.
    ///
    /// Most references are. A dot segment may begin at "/.".
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

    /// Writes two slashes before a host, where browsers accept any number of them.
    ///
    /// With the page's own scheme and fewer than two slashes, a path on the page's host follows.
    private func withTwoSlashes(on base: ResourceURL) -> String {
        let scheme = URLScheme(of: text.utf8Span.span)
        guard scheme != .file else { return text }
        let rest = text.utf8.dropFirst(scheme.map { $0.rawValue.utf8.count + 1 } ?? 0)
        let path = rest.drop { $0 == Self.slash }
        let slashes = rest.count - path.count
        guard let scheme else { return slashes > 2 && base.isRemote ? "//\(Substring(path))" : text }
        guard scheme == base.scheme, slashes < 2 else { return "\(scheme.rawValue)://\(Substring(path))" }
        // A first path segment with a colon would look like a scheme.
        let isName = slashes == 0 && !path.isEmpty && path.first != UInt8(ascii: "?") && path.first != UInt8(ascii: "#")
        return "\(isName ? "./" : "")\(Substring(rest))"
    }

    /// Removes white space around the reference and line breaks in it.
    ///
    /// It encodes spaces, and replaces each backslash before the query with a slash.
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

/// Decides which images a feed may name.
///
/// A remote feed may name remote images; a local file may also name files beside it.
struct ImageLinks {
    private let feed: ResourceURL

    init(in feed: ResourceURL) { self.feed = feed }

    /// Returns the image at an absolute URL or, in a local file, at a relative path.
    func image(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard feed.isRemote else {
            guard !given.isEmpty else { throw InvalidURL("empty") }
            return try checked(feed.resolving(Self.encodingSpaces(given)))
        }
        let url = try ResourceURL(given)
        guard url.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        return url
    }

    /// Returns the image at any reference that a browser would accept; nil for a `data:` URL, which contains the image
    /// itself.
    func target(of given: String, from base: ResourceURL?) throws(InvalidURL) -> ResourceURL? {
        let reference = WebReference(given)
        if reference.begins(with: "data:") { return nil }
        // A local feed may declare a remote base, against which file: URLs cannot resolve.
        return try checked(reference.resolved(on: reference.begins(with: "file:") ? feed : base ?? feed))
    }

    /// Checks the resolved URL: a base that the feed declares must not open other local files.
    private func checked(_ url: ResourceURL) throws(InvalidURL) -> ResourceURL {
        try url.check(asNamedBy: feed)
        return url
    }

    /// Encodes spaces, which file names contain and hand-written feeds leave as they are.
    private static func encodingSpaces(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 { PercentEncoding.append(byte, to: &encoded, isEncoded: byte == 0x20) }
        return String(decoding: encoded, as: UTF8.self)
    }
}
