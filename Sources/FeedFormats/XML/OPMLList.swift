internal import FeedCore
internal import JSONText

/// Decodes an OPML subscription list: `<outline xmlUrl="…">`, at any depth.
final class OPMLList: XMLVisitor {
    private var feeds: [ResourceURL] = []
    private var seen = Set<ResourceURL.Key>()
    private var notes = FeedNotes()
    private let mostFeeds: Int
    private var hasRoot = false
    private var hasBody = false

    private init(mostFeeds: Int) { self.mostFeeds = mostFeeds }

    static func decode(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
        do throws(DecodingFailure) {
            let (list, fault) = try XMLReader.read(document) { OPMLList(mostFeeds: document.mostImages) }
            if let fault, list.feeds.isEmpty { throw fault.failure }
            guard list.hasBody else { throw .invalid("not OPML: it has no body") }
            return SubscriptionList(feeds: list.feeds, notes: list.notes.all)
        } catch {
            throw error.error(host: nil)
        }
    }

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        guard hasRoot else {
            let name = element.name.local
            guard name.lowercased() == "opml" else {
                throw .invalid("not OPML: it begins with \(JSONWriter.quote("<\(name)>", limit: 40))")
            }
            hasRoot = true
            return .children
        }
        switch element.name.local.lowercased() {
        case "body":
            hasBody = true
            return .children
        case "outline" where hasBody:
            add(element)
            guard feeds.count <= mostFeeds else {
                throw .invalid("more than \(mostFeeds) feeds (see --max-feed-size)")
            }
            return .children
        default: return .nothing
        }
    }

    func end() {}
    func receive(_ text: String, of name: XMLName) {}
    func note(_ note: String) { notes.add(note) }

    private func add(_ element: XMLElement) {
        // Programs differ in the case of this name.
        let named = element.plainAttributes.filter { $0.name.lowercased() == "xmlurl" }
        guard let given = named.lazy.compactMap({ FoldedText.fold($0.value) }).first else { return }
        do throws(InvalidURL) {
            let url = try ResourceURL(WebReference.cleaned(ResourceURL.withoutFeedScheme(given))).asFeed
            // People share such lists, so that a list must not name local files.
            guard url.isRemote else { throw InvalidURL("not an http(s) URL") }
            if seen.insert(url.key).inserted { feeds.append(url) }
        } catch {
            notes.add("line \(element.line): left out the feed\(Self.name(element)): xmlUrl: \(error.reason)")
        }
    }

    private static func name(_ element: XMLElement) -> String {
        let name = element.attribute("title") ?? element.attribute("text")
        return name.map { " \(JSONWriter.quote($0, limit: 60))" } ?? ""
    }
}
