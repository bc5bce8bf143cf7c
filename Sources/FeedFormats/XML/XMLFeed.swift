internal import FeedCore
internal import JSONText

/// Decodes a feed in XML.
///
/// The root element tells the format.
final class XMLFeed: XMLVisitor {
    private let document: FeedSource
    private let selection: ImageSelection
    private var rss: RSSFeed?
    private var atom: AtomFeed?
    private var inner: (any XMLVisitor)?
    private var hasItem = false

    private static let items: Set<String> = ["item", "entry"]

    private init(_ document: FeedSource, _ selection: ImageSelection) {
        (self.document, self.selection) = (document, selection)
    }

    static func decode(
        _ document: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> DecodedFeed {
        do throws(DecodingFailure) {
            let (found, fault) = try XMLReader.read(document) { XMLFeed(document, selection) }
            // The rest of a faulty document without a single item is too little for a feed.
            if let fault, !found.hasItem, !fault.isBehindChannel { throw fault.failure }
            if let decoded = try found.atom?.decoded() { return decoded }
            if let decoded = try found.rss?.decoded() { return decoded }
        } catch {
            throw error.error(host: document.url.hostAndPort)
        }
        throw .invalidData("it has no element", host: document.url.hostAndPort)
    }

    private func otherRoot(_ name: XMLName) -> DecodingFailure {
        let what =
            switch name.local.lowercased() {
            case "html": HTMLPage.description(of: document)
            case "svg": "is an SVG image"
            case "opml": "is a subscription list (see --opml)"
            default: "is markup of no known kind: \(JSONWriter.quote("<\(name.local)>", limit: 40))"
            }
        return .invalid("no known feed format: the answer \(what)")
    }

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        if let inner {
            let interest = try inner.begin(element)
            if !hasItem, interest == .children { hasItem = Self.items.contains(element.name.local.lowercased()) }
            return interest
        }
        if RSSNames.isRoot(element.name) {
            rss = RSSFeed(document, taking: selection)
            inner = rss
        } else if AtomFeed.isRoot(element.name) {
            atom = AtomFeed(document, taking: selection)
            inner = atom
            hasItem = element.name.local == "entry"
        } else {
            throw otherRoot(element.name)
        }
        return try inner?.begin(element) ?? .nothing
    }

    func end() throws(DecodingFailure) { try inner?.end() }
    func receive(_ text: String, of name: XMLName) throws(DecodingFailure) { try inner?.receive(text, of: name) }
    func note(_ note: String) { inner?.note(note) }
}
