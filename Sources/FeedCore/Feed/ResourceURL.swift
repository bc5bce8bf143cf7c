/// The address of a feed or an image: `http:`, `https:` or `file:`, checked once, here, and trusted from then on.
///
/// A user name and password in it are split off at once: `text` is what identifies the resource, is shown, logged and
/// stored as a key; `credentials` reach only the server and the database.
package struct ResourceURL: Hashable, Sendable {
    package let scheme: URLScheme
    /// The URL as given, less any user name and password, its host in ASCII; of a file, the one way to write its URL.
    package let text: String
    /// `user:password` as it stood in the URL, still percent-encoded.
    package let credentials: String?

    /// No server is known to take longer ones, and each image of a feed may have one that begins as the others do.
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

    /// With credentials that are kept apart from it, as in the database. It was held to `longest` when it was given.
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

    /// In another spelling.
    init(_ url: ResourceURL, text: String) {
        scheme = url.scheme
        self.text = text
        credentials = url.credentials
    }

    /// The URL for a text that everybody may read, such as a gallery: a query may hold the signature of one person.
    var withoutQuery: String {
        let place = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        return place.count == text.utf8.count ? text : "\(Substring(place))?…"
    }

    var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

    package var isRemote: Bool { scheme != .file }

    /// In ASCII, its case as written; nil for a file.
    package var host: String? { authority.map { text.slice($0.host) } }

    /// As written, with the port if it has one; nil for a file.
    package var hostAndPort: String? { authority.map { text.slice((scheme.rawValue.utf8.count + 3)..<$0.end) } }

    /// Scheme, name and port: what counts as one host for limits, and as one owner for credentials.
    package var origin: String {
        guard let authority else { return "file:" }
        // As most are written, with a port or without.
        if let plain = plainOrigin(authority) { return plain }
        let port = authority.port.flatMap { Int(text.slice($0)) } ?? scheme.usualPort
        return "\(scheme.rawValue)://\(text.slice(authority.host).lowercased()):\(port)"
    }

    /// Whether all that precedes the path is the same: then the origin is.
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

    /// Nil if more has to be done than to add a port.
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

    /// Identifies the resource.
    package typealias Key = ExactText

    package var key: Key { Key(text) }

    /// A fragment is for whoever has the resource: its server isn't told.
    var keyWithoutFragment: Key {
        text.utf8.firstIndex(of: UInt8(ascii: "#")).map { Key(String(text[..<$0])) } ?? key
    }

    package static func == (left: ResourceURL, right: ResourceURL) -> Bool {
        left.key == right.key && left.credentials.map(ExactText.init) == right.credentials.map(ExactText.init)
    }

    package func hash(into hasher: inout Hasher) { key.hash(into: &hasher) }
}

extension ResourceURL: CustomStringConvertible {
    /// Never the credentials: a description ends up in messages.
    package var description: String { text }
}
