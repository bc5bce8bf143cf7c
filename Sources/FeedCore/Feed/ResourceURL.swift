/// The address of a feed or an image: `http:`, `https:` or `file:`, checked once, here, and trusted from then on.
///
/// A user name and password in it are split off at once: `text` is what identifies the resource, is shown, logged and
/// stored as a key; `credentials` reach only the server and the database.
package struct ResourceURL: Hashable, Sendable {
    package enum Scheme: String, Sendable { case http, https, file }

    package let scheme: Scheme
    /// The URL as given, less any user name and password.
    package let text: String
    /// `user:password` as it stood in the URL, still percent-encoded.
    package let credentials: String?

    package init(_ given: String) throws(InvalidURL) {
        let parts = try URLParts(given)
        scheme = parts.scheme
        text = parts.text
        credentials = parts.credentials
    }

    /// A URL whose parts were checked before: from the cache's database.
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

    package var isRemote: Bool { scheme != .file }

    /// The host as written, nil for a file.
    package var host: String? { isRemote ? authority.host : nil }

    /// Scheme, name and port: what counts as one host for limits, and as one owner for credentials.
    package var origin: String {
        guard isRemote else { return "file:" }
        let (host, port) = authority
        return "\(scheme.rawValue)://\(host.lowercased()):\(port ?? (scheme == .http ? "80" : "443"))"
    }

    /// The path on this machine that a `file:` URL names.
    package var filePath: String? {
        guard scheme == .file else { return nil }
        let path = text.utf8.dropFirst("file://".utf8.count)
        return PercentEncoding.decode(path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    }

    private var authority: (host: String, port: String?) {
        URLParts.hostAndPort(of: text.utf8.dropFirst(scheme.rawValue.utf8.count + 3))
    }
}

extension ResourceURL: CustomStringConvertible {
    /// Never the credentials: a description ends up in messages.
    package var description: String { text }
}

/// Why a text is no URL of a feed or image, in words that complete "URL: …".
package struct InvalidURL: Error, Equatable {
    package let reason: String
}
