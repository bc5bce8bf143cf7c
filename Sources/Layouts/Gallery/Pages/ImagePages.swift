internal import FeedCore
internal import JSONText

/// The pages that show images in a given order, with the data of each page.
struct ImagePages {
    let title: String
    let about: String
    /// The feed whose age the pages show.
    let saved: GalleryFeed?
    /// The name of the pages' files.
    let name: String
    let tiles: [Tile]
    /// The index of the first kept image.
    let firstKept: Int
    /// The feed of each tile; empty on the pages of a single feed.
    var sources: [TileSource] = []
    let frame: PageFrame
    var language = PageLanguage.english
    var subscription = SubscriptionNames.all
    let layout: PageLayout

    /// The pages, each followed by its data.
    var files: some Sequence<SiteFile> {
        (1...layout.pages).lazy.flatMap { number in [page(number), data(number)] }
    }

    private func source(_ index: Int) -> TileSource? { sources.isEmpty ? nil : sources[index] }

    func page(_ number: Int) -> SiteFile {
        let links = PageLinks(name: name, page: number, pages: layout.pages)
        let indices = layout.items(onPage: number)
        var page = HTMLWriter()
        // Most windows show fewer than 60 tiles at first.
        let awaited = tiles[indices.prefix(60)].last(where: \.carriesAnchor)?.anchor ?? "content"
        frame.begin(&page, title: title, links: links, awaited: awaited, language, subscription)
        let part = number > 1 ? " · page \(number) of \(layout.pages)" : ""
        let hasImages = !indices.isEmpty
        frame.header(
            &page, title: title, about: about + part, links: links, newest: saved,
            tools: PageTools(search: hasImages, images: hasImages))
        page.raw("<main id=content data-name=\"\(name)\" data-page=\(number) data-pages=\(layout.pages)")
        page.raw(" data-first=\(indices.lowerBound + 1) data-images=\(tiles.count) data-edition=\(layout.edition)")
        page.raw(firstKept < indices.upperBound ? " data-kept>\n" : ">\n")
        if !hasImages { page.raw("<p class=empty lang=en>This feed has no images.</p>\n") }
        let kept = min(max(indices.lowerBound, firstKept), indices.upperBound)
        section(indices.lowerBound..<kept, &page)
        if kept < indices.upperBound, kept == firstKept {
            page.raw("<h2 class=gone lang=en>No longer in the feed</h2>\n")
        }
        section(kept..<indices.upperBound, &page)
        page.raw("</main>\n")
        frame.end(&page, links: links, more: "More images")
        return SiteFile(name: links.file, bytes: page.bytes)
    }

    private func section(_ indices: Range<Int>, _ page: inout HTMLWriter) {
        guard !indices.isEmpty else { return }
        let range = "\(HTMLWriter.grouped(indices.lowerBound + 1)) to \(HTMLWriter.grouped(indices.upperBound))"
        let kept = indices.lowerBound >= firstKept ? ", no longer in the feed" : ""
        page.raw("<section class=images aria-label=\"Images \(range)\(kept)\">\n")
        for index in indices { page.tile(tiles[index], number: index + 1, source: source(index)) }
        page.raw("</section>\n")
    }

    private func data(_ number: Int) -> SiteFile {
        DataFile.images(name, page: number, edition: layout.edition, key: frame.key) { json in
            for index in layout.items(onPage: number) {
                ImageRecord.write(tiles[index], source: source(index), to: &json)
            }
        }
    }
}

extension PageLayout {
    /// Lays out tiles.
    init(of tiles: [Tile], sources: [TileSource] = []) throws(FeedError) {
        try self.init(tiles.count) { index in
            let source = sources.isEmpty ? nil : sources[index]
            var html = HTMLWriter()
            html.tile(tiles[index], number: index + 1, source: source)
            var json = JSONWriter()
            ImageRecord.write(tiles[index], source: source, to: &json)
            return (html.bytes.count, json.bytes)
        }
    }
}

extension ShownFeed {
    func pages(frame: PageFrame) -> ImagePages {
        let origin = name.origin == name.title ? "" : "\(name.origin) · "
        return ImagePages(
            title: name.title, about: origin + count, saved: feed, name: pageName, tiles: tiles, firstKept: firstKept,
            frame: frame, language: PageLanguage(feed.head.language), subscription: SubscriptionNames(pageName),
            layout: layout)
    }
}

extension [ShownFeed] {
    private static var maxNewest: Int { 500 }

    /// Returns the pages of the newest images of all feeds.
    func newestPages(frame: PageFrame) throws(FeedError) -> ImagePages {
        let images = newestImages(Self.maxNewest)
        let tiles = images.map(\.tile).markingAnchors()
        let sources = images.map { TileSource(title: $0.feed.name.title, url: $0.link) }
        return ImagePages(
            title: "Newest images", about: HTMLWriter.count(images.count, "image"),
            saved: lastSaved, name: PageNames.newest,
            tiles: tiles, firstKept: images.count, sources: sources, frame: frame,
            layout: try PageLayout(of: tiles, sources: sources))
    }
}
