internal import FeedCore

extension HTMLWriter {
    private static let longestAlternative = 300

    /// As short as possible: there are two hundred of them on a page.
    mutating func tile(_ tile: Tile, number: Int, hasAddress: Bool, source: HTMLWriter?) {
        raw("<figure")
        if hasAddress { raw(" id=\(tile.address)") }
        switch tile.content {
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
        attribute("alt", Self.heading(image) ?? "Image \(number)", limit: Self.longestAlternative)
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
        // Where there is no room for all, the longest is cut.
        let more = [image.published?.day, Self.visible(image.location), title == heading ? nil : title]
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

    /// Nil where nothing is said of the image.
    static func heading(_ image: FeedImage) -> String? { visible(image.description) ?? visible(image.title) }
}
