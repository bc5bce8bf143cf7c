internal import FeedCore

/// Which images a feed may name: from the network, those of the network; in a local file, besides these the files
/// beside it.
struct ImageLinks {
    private let feed: ResourceURL

    init(in feed: ResourceURL) { self.feed = feed }

    /// By absolute URL, or, in a local file, by relative path.
    func image(_ given: String) throws(InvalidURL) -> ResourceURL {
        guard feed.isRemote else { return try resolve(Self.encodingSpaces(given), from: feed) }
        let url = try ResourceURL(given)
        guard url.isRemote else { throw InvalidURL("a file: URL, which only a local feed may name") }
        return url
    }

    /// By any reference, as browsers take it. Nil for a picture that is itself in the feed, in a `data:` URL.
    func target(of reference: String, from base: ResourceURL?) throws(InvalidURL) -> ResourceURL? {
        let cleaned = Self.cleaned(reference)
        if Self.begins(cleaned, with: "data:") { return nil }
        // A file: URL needs no base, which may be that of the page which the local feed is of.
        return try resolve(cleaned, from: Self.begins(cleaned, with: "file:") ? feed : base ?? feed)
    }

    private static func begins(_ reference: String, with scheme: String) -> Bool {
        Substring(reference.utf8.prefix(scheme.utf8.count)).lowercased() == scheme
    }

    private func resolve(_ reference: String, from base: ResourceURL) throws(InvalidURL) -> ResourceURL {
        guard !reference.isEmpty else { throw InvalidURL("empty") }
        let url = try Self.isWhole(reference) ? ResourceURL(reference) : base.resolving(reference)
        // Whatever base a feed declares, it is no way to other files of this machine.
        try url.check(asNamedBy: feed)
        return url
    }

    /// Most are, and needn't be taken to pieces. A dot segment may begin at "/.".
    private static func isWhole(_ reference: String) -> Bool {
        guard reference.utf8.starts(with: "https://".utf8) || reference.utf8.starts(with: "http://".utf8) else {
            return false
        }
        let bytes = reference.utf8Span.span
        for index in 1..<bytes.count where bytes[index] == UInt8(ascii: ".") && bytes[index - 1] == UInt8(ascii: "/") {
            return false
        }
        return true
    }

    /// White space around it and line breaks in it mean nothing; spaces in it stay spaces.
    static func cleaned(_ reference: String) -> String {
        let isClean = !reference.utf8.contains { $0 <= 0x20 }
        if isClean { return reference }
        let bytes = reference.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let start = bytes.drop { $0 == 0x20 }
        let end = start.lastIndex { $0 != 0x20 } ?? start.startIndex
        return encodingSpaces(String(decoding: start.isEmpty ? start : start[...end], as: UTF8.self))
    }

    /// File names have spaces, and whoever writes a feed by hand leaves them.
    private static func encodingSpaces(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 { PercentEncoding.append(byte, to: &encoded, isEncoded: byte == 0x20) }
        return String(decoding: encoded, as: UTF8.self)
    }
}
