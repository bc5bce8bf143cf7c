internal import FeedCore
internal import JSONText

/// A feed in XML, of the format that its first element tells.
final class XMLFeed: XMLVisitor {
    private let feed: ResourceURL
    private var rss: RSSFeed?
    private var atom: AtomFeed?
    private var inner: (any XMLVisitor)?

    private init(at feed: ResourceURL) { self.feed = feed }

    static func decode(_ document: FeedSource) throws(FeedError) -> DecodedFeed {
        do throws(XMLProblem) {
            let found = try XMLReader.read(document) { XMLFeed(at: document.url) }
            if let decoded = found.atom?.decoded() ?? found.rss?.decoded() { return decoded }
        } catch {
            throw .invalidData(message(error, document), host: document.url.host)
        }
        throw .invalidData("it has no channel and no item", host: document.url.host)
    }

    private static func message(_ problem: XMLProblem, _ document: FeedSource) -> String {
        switch problem {
        case .malformed(let malformation): return malformation.description
        case .root(let name):
            let what =
                switch (name.vocabulary, name.local.lowercased()) {
                case (_, "html"): HTMLPage.description(of: document)
                case (_, "svg"): "is an SVG image"
                case (_, "opml"): "is a subscription list (see --opml)"
                default: "is markup of no known kind: \(JSONWriter.quote("<\(name.local)>", limit: 40))"
                }
            return "no known feed format: the answer \(what)"
        }
    }

    func begin(_ element: XMLElement) throws(XMLProblem) -> XMLInterest {
        if let inner { return try inner.begin(element) }
        if RSSFeed.isRoot(element.name) {
            rss = RSSFeed(at: feed)
            inner = rss
        } else if AtomFeed.isRoot(element.name) {
            atom = AtomFeed(at: feed)
            inner = atom
        } else {
            throw .root(element.name)
        }
        return try inner?.begin(element) ?? .nothing
    }

    func end() { inner?.end() }
    func receive(_ text: String, of name: XMLName) { inner?.receive(text, of: name) }
}
