internal import FeedCore

/// The pages that list the feeds of a gallery with several feeds or none.
struct IndexPages {
    private static let coverImages = 3

    let feeds: [ShownFeed]
    let frame: PageFrame

    var files: some Sequence<SiteFile> {
        let chunks = PageChunks(feeds.lazy.map(card), beside: frame.assets)
        // The edition is as that of `ImagePages`, without the times in the cards.
        let parts = feeds.map(\.pageName) + chunks.all.map { String($0.count) }
        let edition = String(parts.joined(separator: "/").utf8.fnv1a, radix: 36)
        return chunks.files("index") { chunk, links in page(chunk, edition, links) }
    }

    private func page(_ chunk: PageChunks.Chunk, _ edition: String, _ links: PageLinks) -> HTMLWriter {
        var page = HTMLWriter()
        frame.begin(&page, title: "Images", links: links)
        // The header shows the age of the newest feed, and each card the age of its own feed.
        let newest = feeds.map(\.feed).max { $0.savedAt < $1.savedAt }
        let count = HTMLWriter.count(feeds.count, "feed")
        frame.header(
            &page, title: "Images", about: count, newest: newest,
            tools: PageTools(hasIndex: false, search: !feeds.isEmpty, slideshow: false))
        page.raw("<main id=content data-edition=\(edition)>\n")
        if feeds.isEmpty {
            page.raw("<p class=empty>There are no feeds here yet.</p>\n")
        } else {
            if links.page == 1 {
                page.raw("<p class=newest><a class=button href=newest.html>Newest images</a></p>\n")
            }
            page.raw("<section class=feeds aria-label=Feeds>\n")
            page.raw(chunk.html)
            page.raw("</section>\n")
        }
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page
    }

    private func card(_ shown: ShownFeed) -> [UInt8] {
        var html = HTMLWriter()
        let covers = Array(shown.tiles.lazy.compactMap(\.placed).prefix(Self.coverImages))
        let isThree = covers.count == Self.coverImages
        html.raw("<article class=\"saved\(shown.feed.isFresh ? "" : " stale")\">")
        html.raw("<div class=\"cover\(isThree ? " three" : "")\">")
        for cover in isThree ? covers : Array(covers.prefix(1)) {
            html.raw("<img src=\(cover.thumbnail ?? cover.file) alt=\"\" loading=lazy decoding=async")
            if let size = cover.size { html.raw(" width=\(size.width) height=\(size.height)") }
            html.raw(">")
        }
        html.raw("</div><h2><a href=\"\(PageNames.file(shown.pageName))\">")
        html.text(shown.name.title, limit: 300)
        html.raw("</a></h2><p class=about><span>\(shown.count)</span> ")
        frame.age(&html, of: shown.feed)
        html.raw("</p>")
        if !shown.feed.isFresh { frame.notice(&html) }
        html.raw("</article>\n")
        return html.bytes
    }
}
