internal import FeedCore
internal import JSONText

/// A feed in XML, whose root element tells the format.
final class XMLFeed: XMLVisitor {
    private let document: FeedSource
    private var rss: RSSFeed?
    private var atom: AtomFeed?
    private var inner: (any XMLVisitor)?

    private init(_ document: FeedSource) { self.document = document }

    static func decode(_ document: FeedSource) throws(FeedError) -> DecodedFeed {
        let found = XMLFeed(document)
        do throws(XMLProblem) {
            try XMLReader.read(document, telling: found)
            if let decoded = found.atom?.decoded() { return decoded }
            if let decoded = try found.rss?.decoded() { return decoded }
        } catch {
            throw Self.error(error, document)
        }
        throw .invalidData("it has no channel and no item", host: document.url.hostAndPort)
    }

    private static func error(_ problem: XMLProblem, _ document: FeedSource) -> FeedError {
        switch problem {
        case .interrupted(let interruption): return interruption.error(host: document.url.hostAndPort)
        case .malformed(let malformation):
            return .invalidData(malformation.description, host: document.url.hostAndPort)
        case .root(let name):
            let what =
                switch (name.vocabulary, name.local.lowercased()) {
                case (_, "html"): HTMLPage.description(of: document)
                case (_, "svg"): "is an SVG image"
                case (_, "opml"): "is a subscription list (see --opml)"
                default: "is markup of no known kind: \(JSONWriter.quote("<\(name.local)>", limit: 40))"
                }
            return .invalidData("no known feed format: the answer \(what)", host: document.url.hostAndPort)
        }
    }

    func begin(_ element: XMLElement) throws(XMLProblem) -> XMLInterest {
        if let inner { return try inner.begin(element) }
        if RSSNames.isRoot(element.name) {
            rss = RSSFeed(document)
            inner = rss
        } else if AtomFeed.isRoot(element.name) {
            atom = AtomFeed(document)
            inner = atom
        } else {
            throw .root(element.name)
        }
        return try inner?.begin(element) ?? .nothing
    }

    func end() throws(XMLProblem) { try inner?.end() }
    func receive(_ text: String, of name: XMLName) throws(XMLProblem) { try inner?.receive(text, of: name) }
    func note(_ note: String) { inner?.note(note) }
}
