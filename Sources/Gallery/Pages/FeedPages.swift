internal import FeedCore

/// A feed with its pictures as pages show them.
struct ShownFeed {
    let feed: GalleryFeed
    let tiles: [Tile]
    /// The name of its pages.
    let pages: String

    var count: String { HTMLWriter.count(tiles.count, "picture") }
}

/// The pages of one feed.
struct FeedPages {
    let shown: ShownFeed
    let frame: PageFrame
    /// There are other feeds, and a page that lists them.
    let isInside: Bool

    var files: some Sequence<SiteFile> {
        let tiles = shown.tiles.enumerated().lazy.map { index, tile in
            var html = HTMLWriter()
            html.tile(tile, number: index + 1)
            return html.bytes
        }
        let chunks = PageChunks(tiles, beside: frame.assets)
        // A page that is open in a browser unfolds only pages of the same making. That is told by the tiles and by how
        // they are dealt out, not by the time, which each run renews.
        var mark = FNV1a()
        for chunk in chunks.all {
            mark.add(chunk.html)
            mark.add([0])
        }
        let making = String(mark.value, radix: 36)
        return chunks.files(shown.pages) { chunk, links in page(chunk, making, links) }
    }

    private func page(_ chunk: PageChunks.Chunk, _ making: String, _ links: PageLinks) -> HTMLWriter {
        let name = FeedName(shown.feed)
        let origin = name.origin == name.title ? "" : "\(name.origin) · "
        let about = origin + shown.count + (links.page > 1 ? " · page \(links.page) of \(links.pages)" : "")
        let pictures = shown.tiles.count
        var page = HTMLWriter()
        frame.begin(&page, title: name.title, links: links)
        frame.header(&page, title: name.title, about: about, newest: shown.feed, links: links, isInside: isInside)
        page.raw("<main id=content data-first=\(chunk.first + 1) data-pictures=\(pictures) data-making=\(making)>\n")
        if chunk.count == 0 {
            page.raw("<p class=empty>This feed has no pictures.</p>\n")
        } else {
            let places = chunk.first..<chunk.first + chunk.count
            // Nothing is said of any of these pictures.
            let isPlain = shown.tiles[places].allSatisfy { HTMLWriter.heading($0.image) == nil }
            let range = "\(HTMLWriter.grouped(places.lowerBound + 1)) to \(HTMLWriter.grouped(places.upperBound))"
            page.raw("<section class=\"pictures\(isPlain ? " plain" : "")\" aria-label=\"Pictures \(range)\">\n")
            page.raw(chunk.html)
            page.raw("</section>\n")
        }
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page
    }
}
