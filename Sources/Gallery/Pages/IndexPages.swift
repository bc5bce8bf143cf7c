internal import FeedCore

/// The pages that list the feeds of a gallery that has several, or none.
struct IndexPages {
    struct Entry {
        let feed: GalleryFeed
        let tiles: [Tile]
        /// Of its pages.
        let name: String
        let isFresh: Bool
    }

    private static let mostCards = 200
    private static let coverPictures = 3

    let entries: [Entry]
    let frame: PageFrame

    func write(_ write: (_ file: String, [UInt8]) throws(FeedError) -> Void) throws(FeedError) -> Int {
        let chunks = PageChunks(entries, most: Self.mostCards, weighing: frame.assets, html: card).all
        // As for a feed's pages; but the cards have times in them.
        let parts = entries.map(\.name) + chunks.map { String($0.count) }
        let making = String(parts.joined(separator: "/").utf8.fnv1a, radix: 36)
        for (index, chunk) in chunks.enumerated() {
            let links = PageLinks(name: "index", page: index + 1, pages: chunks.count)
            try write(links.file, page(chunk, making, links))
        }
        return chunks.count
    }

    private func page(_ chunk: PageChunks.Chunk, _ making: String, _ links: PageLinks) -> [UInt8] {
        var page = HTMLWriter()
        frame.begin(&page, title: "Pictures", file: links.file, links: links)
        let count = entries.count == 1 ? "1 feed" : "\(FeedPages.grouped(entries.count)) feeds"
        // The newest feed is how old the gallery is; each tells its own age besides.
        frame.header(
            &page, title: "Pictures", about: count, savedAt: entries.map(\.feed.savedAt).max(),
            file: links.file, isInside: false)
        page.raw("<main id=content data-making=\(making)>\n")
        if entries.isEmpty {
            page.raw("<p class=empty>There are no feeds here yet.</p>\n")
        } else {
            page.raw("<section class=feeds aria-label=Feeds>\n")
            page.raw(chunk.html)
            page.raw("</section>\n")
        }
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page.bytes
    }

    private func card(_ entry: Entry) -> [UInt8] {
        var html = HTMLWriter()
        let covers = entry.tiles.lazy.compactMap(\.placed).prefix(Self.coverPictures)
        html.raw("<article class=\"saved\(entry.isFresh ? "" : " stale")\">")
        html.raw("<div class=\"cover\(covers.count == Self.coverPictures ? " three" : "")\">")
        for cover in covers.count == Self.coverPictures ? Array(covers) : Array(covers.prefix(1)) {
            html.raw("<img src=\(cover.file) alt=\"\" loading=lazy decoding=async")
            if let size = cover.size { html.raw(" width=\(size.width) height=\(size.height)") }
            html.raw(">")
        }
        html.raw("</div><h2><a href=\"\(PageNames.file(entry.name, page: 1))\">")
        html.text(FeedName(entry.feed).title, limit: 300)
        let count = entry.tiles.count == 1 ? "1 picture" : "\(FeedPages.grouped(entry.tiles.count)) pictures"
        html.raw("</a></h2><p class=about><span>\(count)</span> ")
        frame.age(&html, entry.feed.savedAt, entry.feed.maxAge)
        html.raw("</p>")
        if !entry.isFresh { frame.notice(&html) }
        html.raw("</article>\n")
        return html.bytes
    }
}
