/// What a namespace's names mean here. Namespaces go by their URI, of which the wild has variants; where a prefix was
/// never declared, by what it is always used for.
enum XMLVocabulary: Equatable {
    /// No namespace, or one that an RSS version or OPML gave its own names.
    case plain
    case atom, media, itunes, content, georss, gml, geo, rdf, xhtml, xml
    case other

    init(uri: String?, prefix: String?) {
        if let uri { self = Self.byURI[Self.normalise(uri)] ?? .other } else { self = Self.named(prefix) }
    }

    private static func named(_ prefix: String?) -> XMLVocabulary {
        switch prefix {
        case nil: .plain
        case "atom"?, "atom10"?: .atom
        case "media"?: .media
        case "itunes"?: .itunes
        case "content"?: .content
        case "georss"?: .georss
        case "gml"?: .gml
        case "geo"?: .geo
        case "rdf"?: .rdf
        case "xml"?: .xml
        default: .other
        }
    }

    /// Without what is written now so and now so: the scheme, capitals, and a slash or hash at the end.
    private static func normalise(_ uri: String) -> String {
        var name = uri.lowercased()[...]
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
