extension ResourceURL {
    private static let feedScheme = "feed:"

    /// Removes `feed:`, which means http before a URL or in place of its scheme.
    package static func withoutFeedScheme(_ given: String) -> String {
        guard Substring(given.utf8.prefix(feedScheme.utf8.count)).lowercased() == feedScheme else { return given }
        let rest = given.utf8.dropFirst(feedScheme.utf8.count)
        return rest.starts(with: "//".utf8) ? "http:\(Substring(rest))" : String(Substring(rest))
    }

    /// The spelling under which the cache stores a feed: the host in lower case, without a default port, dot segments
    /// or a fragment. Images keep the spelling of their feed, because their servers may distinguish spellings.
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
