internal import FeedCore

/// Which images a feed may name by absolute URL: from the network, those of the network; in a local file, besides these
/// the files beside it, also by relative path.
struct ImageLinks {
    private let feed: ResourceURL

    init(in feed: ResourceURL) { self.feed = feed }

    func image(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard feed.isRemote else { return try imageOfLocalFeed(given) }
        let url = try ResourceURL(given)
        guard url.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        return url
    }

    private func imageOfLocalFeed(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard !given.isEmpty else { throw InvalidURL("empty") }
        let url = try feed.resolving(encodingSpaces(given))
        guard url.isRemote || url.isBeside(feed) else { throw InvalidURL("not a file in the feed's folder or below") }
        return url
    }

    /// File names have spaces, and whoever writes a feed by hand leaves them.
    private func encodingSpaces(_ path: String) -> String {
        path.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}
