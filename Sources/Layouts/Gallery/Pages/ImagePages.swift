internal import FeedCore

/// The pages that show images in a given order.
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
    /// The markup that names the feed of each tile; empty on the pages of a single feed.
    let sources: [HTMLWriter]
    let frame: PageFrame
    /// Whether the gallery has a page that lists the feeds.
    let hasIndex: Bool

    var files: some Sequence<SiteFile> {
        // Only the first tile with an anchor carries it.
        var seen: Set<String> = []
        let hasAnchor = tiles.map { seen.insert($0.anchor).inserted }
        let html = tiles.indices.lazy.map { index in
            var html = HTMLWriter()
            let source = sources.isEmpty ? nil : sources[index]
            html.tile(tiles[index], number: index + 1, hasAnchor: hasAnchor[index], source: source)
            return html.bytes
        }
        let chunks = PageChunks(html, beside: frame.assets)
        // A page that is open in a browser continues only with pages of the same edition: with the same tiles,
        // distributed over the pages in the same way. The time is left out, because each run renews it.
        var hash = FNV1a()
        for chunk in chunks.all {
            hash.add(chunk.html)
            hash.add([0])
        }
        let edition = String(hash.value, radix: 36)
        return chunks.files(name) { chunk, links in page(chunk, edition, links) }
    }

    private func page(_ chunk: PageChunks.Chunk, _ edition: String, _ links: PageLinks) -> HTMLWriter {
        var page = HTMLWriter()
        frame.begin(&page, title: title, links: links)
        let part = links.page > 1 ? " · page \(links.page) of \(links.pages)" : ""
        frame.header(
            &page, title: title, about: about + part, newest: saved,
            tools: PageTools(hasIndex: hasIndex, search: chunk.count > 0, slideshow: chunk.count > 0))
        page.raw("<main id=content data-first=\(chunk.first + 1) data-images=\(tiles.count) data-edition=\(edition)>\n")
        let end = chunk.first + chunk.count
        if chunk.count == 0 { page.raw("<p class=empty>This feed has no images.</p>\n") }
        section(chunk, chunk.first..<max(chunk.first, min(end, firstKept)), &page)
        if chunk.first <= firstKept, firstKept < end { page.raw("<h2 class=gone>No longer in the feed</h2>\n") }
        section(chunk, min(end, max(chunk.first, firstKept))..<end, &page)
        page.raw("</main>\n")
        frame.end(&page, links: links)
        return page
    }

    private func section(_ chunk: PageChunks.Chunk, _ indices: Range<Int>, _ page: inout HTMLWriter) {
        guard !indices.isEmpty else { return }
        // A section in which every caption is empty takes less room.
        let isPlain = sources.isEmpty && tiles[indices].allSatisfy { HTMLWriter.heading($0.image) == nil }
        let range = "\(HTMLWriter.grouped(indices.lowerBound + 1)) to \(HTMLWriter.grouped(indices.upperBound))"
        let kept = indices.lowerBound >= firstKept ? ", no longer in the feed" : ""
        page.raw("<section class=\"images\(isPlain ? " plain" : "")\" aria-label=\"Images \(range)\(kept)\">\n")
        page.raw(chunk.html(of: indices))
        page.raw("</section>\n")
    }
}

extension ShownFeed {
    func files(frame: PageFrame, hasIndex: Bool) -> some Sequence<SiteFile> {
        let origin = name.origin == name.title ? "" : "\(name.origin) · "
        return ImagePages(
            title: name.title, about: origin + count, saved: feed, name: pageName, tiles: tiles, firstKept: firstKept,
            sources: [], frame: frame, hasIndex: hasIndex
        ).files
    }
}

extension [ShownFeed] {
    private static var maxNewest: Int { 500 }

    /// Returns the pages of the newest images of all feeds.
    func newestFiles(frame: PageFrame) -> some Sequence<SiteFile> {
        let images = newestImages(Self.maxNewest)
        let sources = images.map { image in
            var source = HTMLWriter()
            source.raw("<a class=source href=\"\(image.link)\">")
            source.text(image.feed.name.title, limit: 100)
            source.raw("</a>")
            return source
        }
        return ImagePages(
            title: "Newest images", about: HTMLWriter.count(images.count, "image"),
            saved: map(\.feed).max { $0.head.savedAt < $1.head.savedAt }, name: "newest", tiles: images.map(\.tile),
            firstKept: images.count, sources: sources, frame: frame, hasIndex: true
        ).files
    }
}

extension HTMLWriter {
    /// The maximum length of the text that replaces an image for a screen reader.
    private static let maxAltLength = 300

    /// Writes the tile of an image.
    ///
    /// Its markup is terse, because a page has 200 tiles.
    fileprivate mutating func tile(_ tile: Tile, number: Int, hasAnchor: Bool, source: HTMLWriter?) {
        raw("<figure")
        if hasAnchor { raw(" id=\(tile.anchor)") }
        switch tile.display {
        case .image(let placed): image(placed, tile.image, number)
        case .missing(let reason):
            raw(" class=\"r\(Proportions.missing.ratio) missing\"><div class=problem><p>")
            text(reason)
            raw("</div>")
        }
        caption(tile.image, source)
        raw("</figure>\n")
    }

    private mutating func image(_ placed: PlacedImage, _ image: FeedImage, _ number: Int) {
        let proportions = placed.proportions
        let ratio = "r\(proportions.ratio)"
        raw(" class=\(proportions.isWhole ? "\"\(ratio) whole\"" : ratio)>")
        if placed.thumbnail != nil { raw("<a href=\(placed.file)>") }
        raw("<img src=\(placed.thumbnail ?? placed.file)")
        attribute("alt", Self.heading(image) ?? "Image \(number)", limit: Self.maxAltLength)
        if let size = placed.size { raw(" width=\(size.width) height=\(size.height)") }
        raw(" loading=lazy decoding=async>")
        if placed.thumbnail != nil { raw("</a>") }
    }

    private mutating func caption(_ image: FeedImage, _ source: HTMLWriter?) {
        raw("<figcaption>")
        let heading = Self.heading(image)
        if let heading {
            raw("<p>")
            text(heading)
            raw("</p>")
        }
        let title = Self.visible(image.title)
        // The longest part comes last, since the end is cut if the room is short.
        let more = [
            image.published?.day, Self.visible(image.location), Self.visible(image.author),
            title == heading ? nil : title,
        ]
        if more.contains(where: { $0 != nil }) {
            raw("<small>")
            text(more.compactMap(\.self).joined(separator: " · "))
            raw("</small>")
        }
        if let source { raw(source.bytes) }
        if let link = image.link, PublicURL.isPage(link, of: image) {
            raw("<a")
            self.link("href", link.text)
            raw(">Post</a>")
        }
        if PublicURL.isImage(image.url) {
            raw("<a")
            link("href", image.url.text)
            raw(">Original</a>")
        }
        raw("</figcaption>")
    }

    /// Returns the image's description, or else its title; nil if both are invisible.
    fileprivate static func heading(_ image: FeedImage) -> String? {
        visible(image.description) ?? visible(image.title)
    }
}

/// Distributes the HTML of items over pages in their order: 200 items to a page, or fewer if the page would be too
/// heavy.
struct PageChunks {
    /// The items of one page.
    struct Chunk {
        /// The index of the first item among the items of all pages.
        let first: Int
        private(set) var html: [UInt8] = []
        /// The offset in `html` at which each item ends.
        private var ends: [Int] = []

        init(first: Int) { self.first = first }

        var count: Int { ends.count }

        mutating func add(_ item: [UInt8]) {
            html += item
            ends.append(html.count)
        }

        /// Returns the HTML of some items, given by their indices among the items of all pages.
        func html(of items: Range<Int>) -> ArraySlice<UInt8> {
            let start = items.lowerBound == first ? 0 : ends[items.lowerBound - first - 1]
            return html[start..<ends[items.upperBound - first - 1]]
        }
    }

    private static let maxItems = 200
    /// The maximum size of a page together with the style sheet, the script and the icon.
    private static let maxPageSize = 99_000
    /// The part of that size which is reserved for the HTML around the items.
    private static let frameSize = 2500

    /// The chunks.
    ///
    /// An empty list of items makes one empty chunk.
    private(set) var all = [Chunk(first: 0)]

    init(_ items: some Sequence<[UInt8]>, beside assets: Assets) {
        let limit = Self.maxPageSize - Self.frameSize - assets.all.map(\.bytes.count).reduce(0, +)
        var (first, count, size) = (0, 0, 0)
        for item in items {
            if count == Self.maxItems || (count > 0 && size + item.count > limit) {
                first += count
                (count, size) = (0, 0)
                all.append(Chunk(first: first))
            }
            all[all.count - 1].add(item)
            count += 1
            size += item.count
        }
    }

    /// Returns one page for each chunk.
    ///
    /// `page` makes the HTML of a page from its chunk.
    func files(_ name: String, _ page: @escaping (Chunk, PageLinks) -> HTMLWriter) -> some Sequence<SiteFile> {
        all.indices.lazy.map { index in
            let links = PageLinks(name: name, page: index + 1, pages: all.count)
            return SiteFile(name: links.file, bytes: page(all[index], links).bytes)
        }
    }
}
