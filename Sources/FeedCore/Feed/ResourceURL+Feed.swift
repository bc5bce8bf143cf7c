extension ResourceURL {
    private static let feedScheme = "feed:"

    /// `feed:` stands for http, before a URL or in place of its scheme.
    package static func withoutFeedScheme(_ given: String) -> String {
        guard Substring(given.utf8.prefix(feedScheme.utf8.count)).lowercased() == feedScheme else { return given }
        let rest = given.utf8.dropFirst(feedScheme.utf8.count)
        return rest.starts(with: "//".utf8) ? "http:\(Substring(rest))" : String(Substring(rest))
    }

    /// The one spelling that the cache knows a feed by: host in lower case, no default port, no dot segments, no
    /// fragment. Images go by what their feed writes, as their servers may make differences that no rule knows.
    package var asFeed: ResourceURL {
        if let filePath { return ResourceURL(filePath: FilePath.normalised(filePath)) }
        guard let authority else { return self }
        let parts = URLReference(text)
        let spelling =
            "\(scheme.rawValue)://\(text.slice(authority.host).lowercased())\(port(authority))"
            + URLReference.removingDotSegments(parts.path) + (parts.query.map { "?\($0)" } ?? "")
        return spelling.utf8.elementsEqual(text.utf8) ? self : ResourceURL(self, text: spelling)
    }

    /// With its colon; empty for the scheme's own.
    private func port(_ authority: URLAuthority) -> String {
        guard let port = authority.port.flatMap({ Int(text.slice($0)) }), port != scheme.usualPort else { return "" }
        return ":\(port)"
    }
}
