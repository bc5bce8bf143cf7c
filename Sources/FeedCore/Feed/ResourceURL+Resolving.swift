extension ResourceURL {
    /// The resource that `reference` means on a page at this URL: a link, an image, a redirect's target. A page from the
    /// network can't mean a local file.
    package func resolving(_ reference: String) throws(InvalidURL) -> ResourceURL {
        // A reference may be empty: it means the page itself.
        if !reference.isEmpty { try URLParts.checkCharacters(of: reference) }
        let parts = URLReference(reference)
        let resolved = try ResourceURL(parts.resolved(against: URLReference(text)))
        if let path = resolved.filePath {
            guard !isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
            // Once more, now that "%2e%2e" and "%2f" are decoded.
            return ResourceURL(filePath: String(URLReference.removingDotSegments(path[...])))
        }
        let hasOwnAuthority = parts.scheme != nil || parts.authority != nil
        return hasOwnAuthority ? resolved : ResourceURL(resolved, credentials: credentials)
    }

    /// Throws if a feed must not name this image: what comes from the network must not make this program read local
    /// files, nor a local feed files anywhere.
    package func check(asNamedBy feed: ResourceURL) throws(InvalidURL) {
        guard !isRemote else { return }
        guard !feed.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        guard isBeside(feed) else { throw InvalidURL("not a file in the feed's directory or below") }
    }

    /// Whether this is a file in the directory of the file `other`, or below it. Links are not looked at.
    package func isBeside(_ other: ResourceURL) -> Bool {
        guard let path = filePath, let otherPath = other.filePath else { return false }
        let own = URLReference.removingDotSegments(path[...]).utf8
        let directory = URLReference.removingDotSegments(otherPath[...]).utf8.reversed().drop {
            $0 != UInt8(ascii: "/")
        }
        return own.count > directory.count && own.starts(with: directory.reversed()) && own.last != UInt8(ascii: "/")
    }
}
