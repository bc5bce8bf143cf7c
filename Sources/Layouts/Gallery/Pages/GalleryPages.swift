internal import FeedCore

/// The pages of a gallery and the files beside them.
///
/// The files are made in groups whenever they are needed, because all of them together could fill the memory.
struct GalleryPages {
    static let index = "index.html"

    private let feeds: [ShownFeed]
    private let frame: PageFrame
    let key: String

    init(_ feeds: [ShownFeed], key: String) {
        self.feeds = feeds
        self.key = key
        var ratios: Set<Int> = [Proportions.missing.ratio, Proportions.unknown.ratio]
        for tile in feeds.lazy.flatMap(\.tiles) {
            if let placed = tile.placed { ratios.insert(placed.proportions.ratio) }
        }
        frame = PageFrame(assets: Assets(ratios: ratios), key: key)
    }

    /// The groups of files: the pages of each feed, and last the index, the newest images and the files beside the
    /// pages.
    var groups: Range<Int> { 0..<feeds.count + 1 }

    func forEach(
        in group: Int, _ visit: (SiteFile) throws(FeedError) -> Void
    ) throws(FeedError) {
        func visitAll(_ files: some Sequence<SiteFile>) throws(FeedError) {
            for file in files {
                if Task.isCancelled { throw .cancelled }
                try visit(file)
            }
        }
        if group < feeds.count { return try visitAll(feeds[group].files(frame: frame, hasIndex: feeds.count > 1)) }
        try visitAll(frame.assets.all)
        try visitAll(try Subscription(feeds: feeds).files)
        if feeds.count == 1 {
            // The first page of the only feed has two names.
            let first = feeds[0].files(frame: frame, hasIndex: false).prefix(1)
            return try visitAll(first.map { SiteFile(name: Self.index, bytes: $0.bytes) })
        }
        try visitAll(IndexPages(feeds: feeds.sorted { $0.newest > $1.newest }, frame: frame).files)
        if !feeds.isEmpty { try visitAll(feeds.newestFiles(frame: frame)) }
    }
}

/// A secret by which the pages of one gallery recognise each other when a browser opens them from disk.
enum GalleryKey {
    private static let length = 32
    private static let mark = "data-key="

    static func make() -> String {
        let digits = "0123456789abcdef".map(\.self)
        return String((0..<length).map { _ in digits[Int.random(in: 0..<16)] })
    }

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Returns the key of a page that begins with these bytes; nil if it has no valid key.
    static func find(in page: [UInt8]) -> String? {
        guard let found = page.firstRange(of: mark.utf8) else { return nil }
        let key = String(decoding: page[found.upperBound...].prefix(length), as: UTF8.self)
        return isValid(key) ? key : nil
    }
}

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
        let newest = feeds.map(\.feed).max { $0.head.savedAt < $1.head.savedAt }
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
