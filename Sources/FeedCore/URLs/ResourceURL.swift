/// The URL of a feed or an image: `http:`, `https:` or `file:`.
///
/// It is checked here once and trusted from then on.
///
/// Credentials in it are split off at once: `text` identifies the resource, is shown and logged, and is the key in the
/// cache. `credentials` go only to the server and the database.
package struct ResourceURL: Hashable, Sendable {
    package let scheme: URLScheme
    /// The given URL without credentials, its host in ASCII.
    ///
    /// A file has one spelling.
    package let text: String
    /// `user:password` as in the URL, percent-encoded.
    package let credentials: String?

    /// The longest URL.
    ///
    /// Longer ones are unknown in practice, and each image of a feed may have one.
    private static let longest = 8192

    package init(_ given: String) throws(InvalidURL) {
        let parts = try URLParts(given)
        guard parts.scheme == .file || given.utf8.count <= Self.longest else {
            throw InvalidURL("longer than \(Self.longest) bytes")
        }
        scheme = parts.scheme
        text = parts.text
        credentials = parts.credentials
    }

    /// Makes a URL from its text and credentials, which the database stores separately.
    ///
    /// Its length was checked when it was given.
    package init(_ text: String, credentials: String?) throws(InvalidURL) {
        let parts = try URLParts(text)
        scheme = parts.scheme
        self.text = parts.text
        self.credentials = credentials
    }

    package init(filePath: String) {
        scheme = .file
        text = "file://" + PercentEncoding.encodePath(filePath)
        credentials = nil
    }

    init(_ url: ResourceURL, credentials: String?) {
        scheme = url.scheme
        text = url.text
        self.credentials = credentials
    }

    package var withoutCredentials: ResourceURL { credentials == nil ? self : ResourceURL(self, credentials: nil) }

    /// Makes a URL with another spelling.
    init(_ url: ResourceURL, text: String) {
        scheme = url.scheme
        self.text = text
        credentials = url.credentials
    }

    /// The URL for a text that everybody may read, such as a gallery.
    ///
    /// A query may contain a personal signature.
    var withoutQuery: String {
        let place = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        return place.count == text.utf8.count ? text : "\(Substring(place))?…"
    }

    var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

    package var isRemote: Bool { scheme != .file }

    /// The host in ASCII, its case as written; nil for a file.
    package var host: String? { authority.map { text.slice($0.host) } }

    /// The host as written, with its port if there is one; nil for a file.
    package var hostAndPort: String? { authority.map { text.slice((scheme.rawValue.utf8.count + 3)..<$0.end) } }

    /// The scheme, host and port.
    ///
    /// Limits count them as one host, and credentials belong to one of them.
    package var origin: String {
        guard let authority else { return "file:" }
        // Most URLs are written in this way, with or without a port.
        if let plain = plainOrigin(authority) { return plain }
        let port = authority.port.flatMap { Int(text.slice($0)) } ?? scheme.usualPort
        return "\(scheme.rawValue)://\(text.slice(authority.host).lowercased()):\(port)"
    }

    /// Whether both URLs are equal up to the path.
    ///
    /// Then they have the same origin.
    func hasSameBeginning(as other: ResourceURL) -> Bool {
        guard scheme == other.scheme else { return false }
        guard isRemote else { return true }
        let bytes = text.utf8Span.span
        let others = other.text.utf8Span.span
        var index = scheme.rawValue.utf8.count + 3
        while index < bytes.count, index < others.count, bytes[index] == others[index] {
            if URLAuthority.isDelimiter(bytes[index]) { return true }
            index += 1
        }
        return index == bytes.count && index == others.count
    }

    /// Returns the origin if it takes only the addition of a port.
    private func plainOrigin(_ authority: URLAuthority) -> String? {
        let bytes = text.utf8Span.span
        for index in 0..<authority.host.upperBound {
            let byte = bytes[index]
            if byte >= 0x80 || UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") { return nil }
        }
        let beforePath = bytes.withUnsafeBufferPointer { String(decoding: $0[..<authority.end], as: UTF8.self) }
        guard let port = authority.port else { return "\(beforePath):\(scheme.usualPort)" }
        return port.isEmpty || bytes[port.lowerBound] == UInt8(ascii: "0") ? nil : beforePath
    }

    /// The path on this machine that a `file:` URL names.
    package var filePath: String? {
        guard scheme == .file else { return nil }
        return PercentEncoding.decode(text.utf8.dropFirst("file://".utf8.count))
    }

    var authority: URLAuthority? {
        isRemote ? URLAuthority(of: text.utf8Span.span, at: scheme.rawValue.utf8.count + 3) : nil
    }

    /// The key that identifies the resource.
    package typealias Key = ExactText

    package var key: Key { Key(text) }

    /// The key without the fragment, which a server never receives.
    var keyWithoutFragment: Key {
        text.utf8.firstIndex(of: UInt8(ascii: "#")).map { Key(String(text[..<$0])) } ?? key
    }

    package static func == (left: ResourceURL, right: ResourceURL) -> Bool {
        left.key == right.key && left.credentials.map(ExactText.init) == right.credentials.map(ExactText.init)
    }

    package func hash(into hasher: inout Hasher) { key.hash(into: &hasher) }
}

extension ResourceURL: CustomStringConvertible {
    /// The text without credentials, because descriptions end up in messages.
    package var description: String { text }
}

extension ResourceURL {
    private static let feedScheme = "feed:"

    /// Removes `feed:`, which means http before a URL or in place of its scheme.
    package static func withoutFeedScheme(_ given: String) -> String {
        guard Substring(given.utf8.prefix(feedScheme.utf8.count)).lowercased() == feedScheme else { return given }
        let rest = given.utf8.dropFirst(feedScheme.utf8.count)
        return rest.starts(with: "//".utf8) ? "http:\(Substring(rest))" : String(Substring(rest))
    }

    /// The spelling under which the cache stores a feed: the host in lower case, without a default port, dot segments
    /// or a fragment.
    ///
    /// Images keep the spelling of their feed, because their servers may distinguish spellings.
    package var asFeed: ResourceURL {
        if let filePath { return ResourceURL(filePath: FilePath.normalised(filePath)) }
        guard let authority else { return self }
        let parts = URLReference(text)
        let spelling =
            "\(scheme.rawValue)://\(text.slice(authority.host).lowercased())\(port(authority))"
            + URLReference.removingDotSegments(parts.path) + (parts.query.map { "?\($0)" } ?? "")
        return spelling.utf8.elementsEqual(text.utf8) ? self : ResourceURL(self, text: spelling)
    }

    /// The port with its colon; empty for the default port.
    private func port(_ authority: URLAuthority) -> String {
        guard let port = authority.port.flatMap({ Int(text.slice($0)) }), port != scheme.usualPort else { return "" }
        return ":\(port)"
    }
}

extension ResourceURL {
    /// The name of a feed without possible secrets, which are the query and the directories of this machine.
    package var place: String {
        if let path = filePath {
            let file = FilePath.names(in: path).last ?? "a local file"
            let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? ""
            return String(stem.isEmpty ? file : stem)
        }
        let address = text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "?" && $0 != "#" }
        return address.hasSuffix("/") ? String(address.dropLast()) : String(address)
    }
}

extension ResourceURL {
    /// Whether the URL names a file, the local machine, or the literal of an address that is not public.
    package var isLocal: Bool {
        guard let host else { return true }
        let name = host.filter { !"[]".contains($0) }.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return NetworkAddress(presentation: name).map { !$0.addressClass.isPublic } ?? false
    }
}

extension ResourceURL {
    /// Returns the URL that `reference` means on a page at this URL: a link, an image, or the target of a redirect.
    ///
    /// A page from the network cannot mean a local file.
    package func resolving(_ reference: String) throws(InvalidURL) -> ResourceURL {
        // An empty reference means the page itself.
        if !reference.isEmpty { try URLParts.checkCharacters(of: reference) }
        let parts = URLReference(reference)
        let resolved = try ResourceURL(parts.resolved(against: URLReference(text)))
        if let path = resolved.filePath {
            guard !isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
            // "%2e%2e" and "%2f" are decoded now, and can form dot segments.
            return ResourceURL(filePath: String(URLReference.removingDotSegments(path[...])))
        }
        let hasOwnAuthority = parts.scheme != nil || parts.authority != nil
        return hasOwnAuthority ? resolved : ResourceURL(resolved, credentials: credentials)
    }

    /// Throws if a feed must not reference this image.
    ///
    /// A feed from the network must not read local files, and a local feed must not read files outside its directory.
    package func check(asNamedBy feed: ResourceURL) throws(InvalidURL) {
        guard !isRemote else { return }
        guard !feed.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        guard isBeside(feed) else { throw InvalidURL("not a file in the feed's directory or below") }
    }

    /// Whether this is a file in the directory of the file `other`, or below it.
    ///
    /// Symbolic links are ignored.
    package func isBeside(_ other: ResourceURL) -> Bool {
        guard let path = filePath, let otherPath = other.filePath else { return false }
        let own = URLReference.removingDotSegments(path[...]).utf8
        let directory = URLReference.removingDotSegments(otherPath[...]).utf8.reversed().drop {
            $0 != UInt8(ascii: "/")
        }
        return own.count > directory.count && own.starts(with: directory.reversed()) && own.last != UInt8(ascii: "/")
    }
}

extension ResourceURL {
    /// The URL as it is sent to its server.
    ///
    /// Strict servers refuse the characters that browsers percent-encode (the "path" and "query percent-encode set" of
    /// the URL standard).
    package var textToSend: String {
        guard needsEncoding, let authority else { return text }
        var sent: [UInt8] = []
        var isInQuery = false
        for (index, byte) in text.utf8.enumerated() {
            // The fragment stays here.
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isInQuery = true }
            let isEncoded = index >= authority.end && Self.isEncoded(byte, inQuery: isInQuery)
            PercentEncoding.append(byte, to: &sent, isEncoded: isEncoded)
        }
        return String(decoding: sent, as: UTF8.self)
    }

    /// Whether any character needs encoding.
    ///
    /// One pass answers for most URLs.
    private var needsEncoding: Bool {
        let bytes = text.utf8Span.span
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if Self.isEncoded(byte, inQuery: false) || Self.isEncoded(byte, inQuery: true) { return true }
        }
        return false
    }

    private static func isEncoded(_ byte: UInt8, inQuery: Bool) -> Bool {
        switch byte {
        case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        case UInt8(ascii: "'"): inQuery
        case UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"): !inQuery
        default: false
        }
    }
}
