struct XMLName: Equatable {
    let vocabulary: XMLVocabulary
    let local: String

    init(_ vocabulary: XMLVocabulary, _ local: String) {
        self.vocabulary = vocabulary
        self.local = local
    }
}

/// The meaning of a namespace's names. The URI decides, in any of the variants in use. Where the URI is unknown or the
/// prefix was never declared, the usual meaning of the prefix decides.
enum XMLVocabulary: Equatable {
    /// No namespace, or one that a version of RSS or OPML gave its own names.
    case plain
    case atom, media, itunes, content, dublinCore, enclosure, georss, gml, geo, rdf, xhtml, xml
    /// The namespace whose URI or prefix libxml2 keeps at this address while it reads.
    case unknown(UInt)

    init(uri: UnsafePointer<UInt8>?, prefix: UnsafePointer<UInt8>?) {
        guard let name = uri ?? prefix else {
            self = .plain
            return
        }
        self =
            uri.flatMap(Self.text).flatMap { Self.byURI[Self.normalise($0)] }
            ?? prefix.flatMap(Self.text).flatMap { Self.byPrefix[$0] } ?? .unknown(UInt(bitPattern: name))
    }

    /// Nil for a text that is longer than any known name. A feed may write a URI of megabytes once and use it for each of
    /// its elements.
    private static func text(_ name: UnsafePointer<UInt8>) -> String? {
        let longest = 128
        var length = 0
        while name[length] != 0 {
            length += 1
            guard length <= longest else { return nil }
        }
        return String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self)
    }

    private static let byPrefix: [String: XMLVocabulary] = [
        "atom": .atom, "atom10": .atom, "media": .media, "itunes": .itunes, "content": .content, "dc": .dublinCore,
        "georss": .georss, "enc": .enclosure, "gml": .gml, "geo": .geo, "rdf": .rdf, "xml": .xml,
    ]

    /// Removes what feeds write in several ways: white space around the URI, the scheme, capitals, and a slash or hash at
    /// the end.
    private static func normalise(_ uri: String) -> String {
        var name = (FoldedText.fold(uri) ?? "").lowercased()[...]
        for scheme in ["http://", "https://"] where name.hasPrefix(scheme) { name = name.dropFirst(scheme.count) }
        while name.hasSuffix("/") || name.hasSuffix("#") { name = name.dropLast() }
        return String(name)
    }

    private static let byURI: [String: XMLVocabulary] = [
        "": .plain,
        "purl.org/rss/1.0": .plain,
        "my.netscape.com/rdf/simple/0.9": .plain,
        "channel.netscape.com/rdf/simple/0.9": .plain,
        "backend.userland.com/rss": .plain,
        "backend.userland.com/rss2": .plain,
        "blogs.law.harvard.edu/tech/rss": .plain,
        "cyber.law.harvard.edu/rss": .plain,
        "opml.org/spec2": .plain,
        "www.w3.org/2005/atom": .atom,
        "purl.org/atom/ns": .atom,
        "search.yahoo.com/mrss": .media,
        "video.search.yahoo.com/mrss": .media,
        "tools.search.yahoo.com/mrss": .media,
        "www.rssboard.org/media-rss": .media,
        "www.itunes.com/dtds/podcast-1.0.dtd": .itunes,
        "itunes.com/dtds/podcast-1.0.dtd": .itunes,
        "purl.org/rss/1.0/modules/content": .content,
        "purl.org/dc/elements/1.1": .dublinCore,
        "purl.org/dc/elements/1.0": .dublinCore,
        "purl.oclc.org/net/rss_2.0/enc": .enclosure,
        "www.georss.org/georss": .georss,
        "www.georss.org/georss/10": .georss,
        "www.georss.org/georss/1.1": .georss,
        "www.opengis.net/gml": .gml,
        "www.opengis.net/gml/3.2": .gml,
        "www.w3.org/2003/01/geo/wgs84_pos": .geo,
        "www.w3.org/1999/02/22-rdf-syntax-ns": .rdf,
        "www.w3.org/1999/xhtml": .xhtml,
        "www.w3.org/xml/1998/namespace": .xml,
    ]
}
