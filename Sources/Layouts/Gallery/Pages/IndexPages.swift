internal import FeedCore
internal import JSONText

/// The pages that list the feeds of a gallery with several feeds or none.
struct IndexPages {
    let feeds: [ShownFeed]
    let frame: PageFrame

    /// The pages, and the list of the feeds for the search in all of them.
    func files() throws(FeedError) -> some Sequence<SiteFile> {
        let list = feeds.isEmpty ? [] : [feedList]
        let layout = try PageLayout(feeds.count) { index in (card(feeds[index]).bytes.count, []) }
        return list + (1...layout.pages).lazy.map { page($0, layout, list.first) }
    }

    private func page(_ number: Int, _ layout: PageLayout, _ list: SiteFile?) -> SiteFile {
        let links = PageLinks(name: "index", page: number, pages: layout.pages)
        var page = HTMLWriter()
        frame.begin(&page, title: "Images", links: links, awaited: "content")
        // The header shows the age of the newest feed, and each card the age of its own feed.
        frame.header(
            &page, title: "Images", about: HTMLWriter.count(feeds.count, "feed"), links: links,
            newest: feeds.lastSaved, tools: PageTools(search: !feeds.isEmpty, images: false))
        page.raw("<main id=content")
        if let list { page.raw(" data-feeds=\"\(frame.assets.reference(to: list))\"") }
        page.raw(">\n")
        if feeds.isEmpty {
            page.raw("<p class=empty>There are no feeds here yet.</p>\n")
        } else {
            page.raw("<section class=feeds aria-label=Feeds>\n")
            for index in layout.items(onPage: number) { page.raw(card(feeds[index]).bytes) }
            page.raw("</section>\n")
            page.raw("<p class=newest><a class=button href=newest.html>Newest images</a></p>\n")
        }
        page.raw("</main>\n")
        frame.end(&page, links: links, more: "More feeds")
        return SiteFile(name: links.file, bytes: page.bytes)
    }

    private func card(_ shown: ShownFeed) -> HTMLWriter {
        var html = HTMLWriter()
        html.raw("<article class=\"saved\(shown.feed.isFresh ? "" : " stale")\"><div class=cover>")
        if let cover = shown.tiles.lazy.compactMap(\.placed).first {
            // A cover shows the beginning of a strip, whose small thumbnail is too narrow.
            let isStrip = cover.size.map { $0.height >= 2 * $0.width } ?? false
            let preview = isStrip && cover.hasThumbnails ? cover.thumbnail(.large) : cover.preview
            html.raw("<img src=\(preview)\(isStrip ? " class=strip" : "") alt=\"\" loading=lazy decoding=async")
            if let size = cover.size { html.raw(" width=\(size.width) height=\(size.height)") }
            html.raw(">")
        }
        html.raw("</div><h2 dir=auto><a href=\"\(PageNames.file(shown.pageName))\">")
        html.text(shown.name.title, limit: 300)
        html.raw("</a></h2><p class=about><span>\(shown.count)</span> ")
        frame.age(&html, of: shown.feed)
        html.raw("</p>")
        if !shown.feed.isFresh { frame.notice(&html) }
        html.raw("</article>\n")
        return html
    }

    /// The feeds with the number of their pages, whose data the search loads.
    private var feedList: SiteFile {
        var json = JSONWriter()
        json.beginArray()
        for feed in feeds {
            json.beginObject()
            json.member("name", feed.pageName)
            json.member("title", HTMLWriter.plain(feed.name.title, limit: TileSource.maxTitleLength))
            json.member("pages", feed.layout.pages)
            json.member("edition", feed.layout.edition)
            json.endObject()
        }
        json.endArray()
        return DataFile.make("feeds", key: frame.key, json.bytes)
    }
}
