extension ResourceURL {
    /// Returns the URL that `reference` means on a page at this URL: a link, an image, or the target of a redirect. A
    /// page from the network cannot mean a local file.
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

    /// Throws if a feed must not reference this image. A feed from the network must not read local files, and a local
    /// feed must not read files outside its directory.
    package func check(asNamedBy feed: ResourceURL) throws(InvalidURL) {
        guard !isRemote else { return }
        guard !feed.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        guard isBeside(feed) else { throw InvalidURL("not a file in the feed's directory or below") }
    }

    /// Whether this is a file in the directory of the file `other`, or below it. Symbolic links are ignored.
    package func isBeside(_ other: ResourceURL) -> Bool {
        guard let path = filePath, let otherPath = other.filePath else { return false }
        let own = URLReference.removingDotSegments(path[...]).utf8
        let directory = URLReference.removingDotSegments(otherPath[...]).utf8.reversed().drop {
            $0 != UInt8(ascii: "/")
        }
        return own.count > directory.count && own.starts(with: directory.reversed()) && own.last != UInt8(ascii: "/")
    }
}
