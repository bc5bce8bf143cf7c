internal import FeedCore

/// The pages of one feed.
struct FeedPages {
    private static let mostTiles = 200

    let feed: GalleryFeed
    let tiles: [Tile]
    /// Of its files.
    let name: String
    let frame: PageFrame
    /// There are other feeds, and a page that lists them.
    let isInside: Bool

    private var feedName: FeedName { FeedName(feed) }

    func write(_ write: (_ file: String, [UInt8]) throws(FeedError) -> Void) throws(FeedError) -> Int {
        let chunks = PageChunks(tiles.enumerated(), most: Self.mostTiles, weighing: frame.assets) { index, tile in
            var html = HTMLWriter()
            html.tile(tile, number: index + 1)
            return html.bytes
        }.all
        // A page open in a browser unfolds others of the same making alone. Not the time is what tells, which each run
        // renews, but the tiles and how they are dealt out.
        var mark = FNV1a()
        for chunk in chunks {
            mark.add(chunk.html)
            mark.add([0])
        }
        let making = String(mark.value, radix: 36)
        var first = 0
        for (index, chunk) in chunks.enumerated() {
            let links = PageLinks(name: name, page: index + 1, pages: chunks.count)
            try write(links.file, page(chunk, from: first, making, links))
            first += chunk.count
        }
        return chunks.count
    }

    private func page(_ chunk: PageChunks.Chunk, from first: Int, _ making: String, _ links: PageLinks) -> [UInt8] {
        var page = HTMLWriter()
        let title = feedName.title
        frame.begin(&page, title: title, file: links.file, links: links)
        let count = tiles.count == 1 ? "1 picture" : "\(Self.grouped(tiles.count)) pictures"
        let origin = feedName.origin == title ? "" : "\(feedName.origin) · "
        let about = origin + count + (links.page > 1 ? " · page \(links.page) of \(links.pages)" : "")
        frame.header(
            &page, title: title, about: about, savedAt: feed.savedAt, file: links.file, isInside: isInside)
        page.raw("<main id=content data-first=\(first + 1) data-pictures=\(tiles.count) data-making=\(making)>\n")
        if chunk.count == 0 {
            page.raw("<p class=empty>This feed has no pictures.</p>\n")
        } else {
            let range = "\(Self.grouped(first + 1)) to \(Self.grouped(first + chunk.count))"
            page.raw("<section class=\"pictures\(isPlain(first..<first + chunk.count) ? " plain" : "")\"")
            page.raw(" aria-label=\"Pictures \(range)\">\n")
            page.raw(chunk.html)
            page.raw("</section>\n")
        }
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page.bytes
    }

    /// None of these pictures has anything said of it.
    private func isPlain(_ range: Range<Int>) -> Bool {
        tiles[range].allSatisfy { HTMLWriter.visible($0.image.description) == nil }
    }

    /// `12,345`.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }
}
