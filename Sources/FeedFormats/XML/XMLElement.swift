internal import FeedCore

/// A start tag as libxml2 reports it.
///
/// It is valid during the call that passes it.
struct XMLTag {
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    let uri: UnsafePointer<UInt8>?
    /// The number of namespaces that the tag declares.
    let namespaces: Int
    /// Five pointers for each attribute: local name, prefix, URI, and the beginning and end of the value.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let attributeCount: Int
    let line: Int
    let column: Int

    func malformed(_ reason: String) -> DecodingFailure { .malformed(reason, line: line, column: column) }
}

/// An element that begins.
///
/// It is valid during the call that passes it.
struct XMLElement {
    let name: XMLName
    /// The `xml:base` against which relative references resolve here, or nil.
    let base: ResourceURL?
    private let tag: XMLTag

    var line: Int { tag.line }
    var hasPrefix: Bool { tag.prefix != nil }

    init(_ name: XMLName, base: ResourceURL?, _ tag: XMLTag) {
        self.name = name
        self.base = base
        self.tag = tag
    }

    /// Returns the value of the attribute; nil if it is missing or empty.
    func attribute(_ local: StaticString, in vocabulary: XMLVocabulary = .plain) -> String? {
        guard let attributes = tag.attributes else { return nil }
        for index in 0..<tag.attributeCount {
            let parts = attributes + 5 * index
            guard let name = parts[0], Self.equal(name, local) else { continue }
            guard XMLVocabulary(uri: parts[2], prefix: parts[1]) == vocabulary else { continue }
            let value = Self.value(from: parts[3], to: parts[4])
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Returns whether the link has this relation, written as a name or as a URI (RFC 4287, section 4.2.7.2).
    func isLink(_ relation: String) -> Bool {
        guard let given = attribute("rel")?.lowercased() else { return false }
        return given == relation || given == "http://www.iana.org/assignments/relation/\(relation)"
    }

    /// The names and values of the attributes without a prefix, for writing XHTML as HTML.
    var plainAttributes: [(name: String, value: String)] {
        guard let attributes = tag.attributes else { return [] }
        return (0..<tag.attributeCount).compactMap { index in
            let parts = attributes + 5 * index
            guard let name = parts[0], parts[1] == nil else { return nil }
            return (String(cString: name), Self.value(from: parts[3], to: parts[4]))
        }
    }

    private static func equal(_ name: UnsafePointer<UInt8>, _ wanted: StaticString) -> Bool {
        for offset in 0..<wanted.utf8CodeUnitCount where name[offset] != wanted.utf8Start[offset] { return false }
        return name[wanted.utf8CodeUnitCount] == 0
    }

    /// Returns the decoded value.
    ///
    /// libxml2 decodes it except for `&`, which it leaves as a character reference, and the names of characters.
    private static func value(from start: UnsafePointer<UInt8>?, to end: UnsafePointer<UInt8>?) -> String {
        guard let start, let end else { return "" }
        let text = String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let pieces = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: pieces.first.map { String(Substring($0)) } ?? "") { decoded, piece in
            let name = String(Substring(piece.prefix { $0 != UInt8(ascii: ";") }))
            let meant = name == "#38" ? "&" : LibXML.character(named: name)
            decoded += meant ?? "&"
            decoded += Substring(meant == nil ? piece : piece.dropFirst(name.utf8.count + 1))
        }
    }
}

struct XMLName: Equatable {
    let vocabulary: XMLVocabulary
    let local: String

    init(_ vocabulary: XMLVocabulary, _ local: String) {
        self.vocabulary = vocabulary
        self.local = local
    }
}

/// The vocabulary to which a namespace belongs.
///
/// The URI decides, in any of its common variants. For an unknown URI or an undeclared prefix, the usual meaning of the
/// prefix decides.
enum XMLVocabulary: Equatable {
    /// No namespace, or one that a version of RSS or OPML assigns to its own names.
    case plain
    case atom, media, itunes, content, dublinCore, dublinCoreTerms, creativeCommons, syndication, enclosure, georss,
        gml, geo, rdf,
        xhtml, xml
    /// The namespace whose URI or prefix libxml2 stores at this address during the read.
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

    /// Returns nil for a text that is longer than any known name.
    ///
    /// A feed may declare a URI of megabytes once and use it for each of its elements.
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
        "dcterms": .dublinCoreTerms, "georss": .georss, "enc": .enclosure, "gml": .gml, "geo": .geo, "rdf": .rdf,
        "xml": .xml, "creativeCommons": .creativeCommons, "cc": .creativeCommons,
        "sy": .syndication,
    ]

    /// Removes the differences between common spellings: white space around the URI, the scheme, capitals, and a slash
    /// or hash at the end.
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
        "purl.org/dc/terms": .dublinCoreTerms,
        "backend.userland.com/creativecommonsrssmodule": .creativeCommons,
        "cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": .creativeCommons,
        "web.resource.org/cc": .creativeCommons,
        "purl.org/rss/1.0/modules/syndication": .syndication,
        "creativecommons.org/ns": .creativeCommons,
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
