internal import FeedCore

/// Describes an HTML page that a server sent instead of a feed, and names the feed to which the page links.
final class HTMLPage: HTMLVisitor {
    /// The number of bytes that are searched: pages link to their feeds at the top.
    private static let longestHead = 1 << 18

    private var feed: String?

    /// Returns the description of the page, which completes "the answer …".
    static func description(of document: FeedSource) -> String {
        let page = HTMLPage()
        let head = String(decoding: document.bytes.prefix(longestHead), as: UTF8.self)
        HTMLReader().read(head, for: page)
        do throws(InvalidURL) {
            guard let feed = page.feed else { return "is an HTML page" }
            return "is an HTML page, which names the feed \(try document.url.resolving(feed))"
        } catch {
            return "is an HTML page"
        }
    }

    func begin(_ tag: String, _ attributes: HTMLAttributes) {
        guard feed == nil, tag == "link", let type = attributes["type"],
            let relations = attributes["rel"]?.lowercased().utf8.split(whereSeparator: LeadingBytes.isWhitespace),
            relations.contains(where: { $0.elementsEqual("alternate".utf8) })
        else { return }
        let types = ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/json"]
        if types.contains(type.lowercased()) { feed = attributes["href"].flatMap(FoldedText.fold) }
    }

    func end(_ tag: String) {}
    func text(_ text: UnsafeBufferPointer<UInt8>) {}
}
