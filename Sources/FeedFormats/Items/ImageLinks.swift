internal import FeedCore

/// Checks which images a feed may name. A feed from the network may name images of the network; a local file may name
/// the files beside it, too.
struct ImageLinks {
    private let feed: ResourceURL

    init(in feed: ResourceURL) { self.feed = feed }

    /// The image at an absolute URL or, in a local file, at a relative path.
    func image(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard feed.isRemote else {
            guard !given.isEmpty else { throw InvalidURL("empty") }
            return try checked(feed.resolving(Self.encodingSpaces(given)))
        }
        let url = try ResourceURL(given)
        guard url.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        return url
    }

    /// The image at any reference, as browsers read references. Nil for a `data:` URL, which holds the image itself.
    func target(of given: String, from base: ResourceURL?) throws(InvalidURL) -> ResourceURL? {
        let reference = WebReference(given)
        if reference.begins(with: "data:") { return nil }
        // A local feed may declare a base on the network, against which no file: URL resolves.
        return try checked(reference.resolved(on: reference.begins(with: "file:") ? feed : base ?? feed))
    }

    /// Whatever base a feed declares, it opens no way to other files of this machine.
    private func checked(_ url: ResourceURL) throws(InvalidURL) -> ResourceURL {
        try url.check(asNamedBy: feed)
        return url
    }

    /// File names have spaces, and people who write feeds by hand leave them as they are.
    private static func encodingSpaces(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 { PercentEncoding.append(byte, to: &encoded, isEncoded: byte == 0x20) }
        return String(decoding: encoded, as: UTF8.self)
    }
}
