internal import FeedCore

/// Which images a feed may name: from the network, those of the network; in a local file, besides these the files
/// beside it.
struct ImageLinks {
    private let feed: ResourceURL

    init(in feed: ResourceURL) { self.feed = feed }

    /// By absolute URL, or, in a local file, by relative path.
    func image(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard feed.isRemote else {
            guard !given.isEmpty else { throw InvalidURL("empty") }
            return try checked(feed.resolving(Self.encodingSpaces(given)))
        }
        let url = try ResourceURL(given)
        guard url.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        return url
    }

    /// By any reference, as browsers take it. Nil for a picture that is itself in the feed, in a `data:` URL.
    func target(of given: String, from base: ResourceURL?) throws(InvalidURL) -> ResourceURL? {
        let reference = WebReference(given)
        if reference.begins(with: "data:") { return nil }
        // A file: URL needs no base, which may be that of the page which the local feed is of.
        return try checked(reference.resolved(on: reference.begins(with: "file:") ? feed : base ?? feed))
    }

    /// Whatever base a feed declares, it is no way to other files of this machine.
    private func checked(_ url: ResourceURL) throws(InvalidURL) -> ResourceURL {
        try url.check(asNamedBy: feed)
        return url
    }

    /// File names have spaces, and whoever writes a feed by hand leaves them.
    private static func encodingSpaces(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 { PercentEncoding.append(byte, to: &encoded, isEncoded: byte == 0x20) }
        return String(decoding: encoded, as: UTF8.self)
    }
}
