internal import FeedCore

/// Pages of images, in their order.
struct ImagePages {
    let title: String
    let about: String
    /// How old the images are is told by this one.
    let saved: GalleryFeed?
    /// The name of the pages.
    let name: String
    let tiles: [Tile]
    /// The place of the first image that left its feed.
    let firstGone: Int
    /// A line for each tile that says which feed it is of, as markup; none where that goes without saying.
    let sources: [HTMLWriter]
    let frame: PageFrame
    /// There is a page that lists the feeds.
    let isInside: Bool

    var files: some Sequence<SiteFile> {
        // An address leads to one image.
        var seen: Set<String> = []
        let firsts = tiles.map { seen.insert($0.address).inserted }
        let html = tiles.indices.lazy.map { place in
            var html = HTMLWriter()
            let source = sources.isEmpty ? nil : sources[place]
            html.tile(tiles[place], number: place + 1, hasAddress: firsts[place], source: source)
            return html.bytes
        }
        let chunks = PageChunks(html, beside: frame.assets)
        // A page that is open in a browser unfolds only pages of the same making. That is told by the tiles and by how
        // they are dealt out, not by the time, which each run renews.
        var mark = FNV1a()
        for chunk in chunks.all {
            mark.add(chunk.html)
            mark.add([0])
        }
        let making = String(mark.value, radix: 36)
        return chunks.files(name) { chunk, links in page(chunk, making, links) }
    }

    private func page(_ chunk: PageChunks.Chunk, _ making: String, _ links: PageLinks) -> HTMLWriter {
        var page = HTMLWriter()
        frame.begin(&page, title: title, links: links)
        let part = links.page > 1 ? " · page \(links.page) of \(links.pages)" : ""
        frame.header(
            &page, title: title, about: about + part, newest: saved,
            tools: PageTools(isInside: isInside, search: chunk.count > 0, slideshow: chunk.count > 0))
        page.raw("<main id=content data-first=\(chunk.first + 1) data-images=\(tiles.count) data-making=\(making)>\n")
        let end = chunk.first + chunk.count
        if chunk.count == 0 { page.raw("<p class=empty>This feed has no images.</p>\n") }
        section(chunk, chunk.first..<max(chunk.first, min(end, firstGone)), &page)
        if chunk.first <= firstGone, firstGone < end { page.raw("<h2 class=gone>No longer in the feed</h2>\n") }
        section(chunk, min(end, max(chunk.first, firstGone))..<end, &page)
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page
    }

    private func section(_ chunk: PageChunks.Chunk, _ places: Range<Int>, _ page: inout HTMLWriter) {
        guard !places.isEmpty else { return }
        // Nothing is said of any of these images.
        let isPlain = sources.isEmpty && tiles[places].allSatisfy { HTMLWriter.heading($0.image) == nil }
        let range = "\(HTMLWriter.grouped(places.lowerBound + 1)) to \(HTMLWriter.grouped(places.upperBound))"
        let gone = places.lowerBound >= firstGone ? ", no longer in the feed" : ""
        page.raw("<section class=\"images\(isPlain ? " plain" : "")\" aria-label=\"Images \(range)\(gone)\">\n")
        page.raw(chunk.html(of: places))
        page.raw("</section>\n")
    }
}

extension ShownFeed {
    func files(frame: PageFrame, isInside: Bool) -> some Sequence<SiteFile> {
        let origin = name.origin == name.title ? "" : "\(name.origin) · "
        return ImagePages(
            title: name.title, about: origin + count, saved: feed, name: pages, tiles: tiles, firstGone: firstGone,
            sources: [], frame: frame, isInside: isInside
        ).files
    }
}

extension [ShownFeed] {
    private static var mostNewest: Int { 500 }

    /// The newest images of all feeds.
    func newestFiles(frame: PageFrame) -> some Sequence<SiteFile> {
        let images = newestImages(Self.mostNewest)
        let sources = images.map { image in
            var source = HTMLWriter()
            source.raw("<a class=source href=\"\(image.address)\">")
            source.text(image.feed.name.title, limit: 100)
            source.raw("</a>")
            return source
        }
        return ImagePages(
            title: "Newest images", about: HTMLWriter.count(images.count, "image"),
            saved: map(\.feed).max { $0.savedAt < $1.savedAt }, name: "newest", tiles: images.map(\.tile),
            firstGone: images.count, sources: sources, frame: frame, isInside: true
        ).files
    }
}
