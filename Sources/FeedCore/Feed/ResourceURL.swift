/// The URL of a feed or an image: `http:`, `https:` or `file:`. It is checked here once and trusted from then on.
///
/// Credentials in it are split off at once: `text` identifies the resource, is shown and logged, and is the key in the
/// cache. `credentials` go only to the server and the database.
package struct ResourceURL: Hashable, Sendable {
    package let scheme: URLScheme
    /// The given URL without credentials, its host in ASCII. A file has one spelling.
    package let text: String
    /// `user:password` as in the URL, percent-encoded.
    package let credentials: String?

    /// The longest URL. Longer ones are unknown in practice, and each image of a feed may have one.
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

    /// Makes a URL from its text and credentials, which the database stores separately. Its length was checked when it
    /// was given.
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

    /// The URL for a text that everybody may read, such as a gallery. A query may contain a personal signature.
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

    /// The scheme, host and port. Limits count them as one host, and credentials belong to one of them.
    package var origin: String {
        guard let authority else { return "file:" }
        // Most URLs are written in this way, with or without a port.
        if let plain = plainOrigin(authority) { return plain }
        let port = authority.port.flatMap { Int(text.slice($0)) } ?? scheme.usualPort
        return "\(scheme.rawValue)://\(text.slice(authority.host).lowercased()):\(port)"
    }

    /// Whether both URLs are equal up to the path. Then they have the same origin.
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
