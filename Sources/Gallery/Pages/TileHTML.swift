internal import FeedCore

extension HTMLWriter {
    private static let longestAlternative = 300

    /// As short as possible: there are two hundred of them on a page.
    mutating func tile(_ tile: Tile, number: Int) {
        switch tile.content {
        case .picture(let placed): picture(placed, tile.image, number)
        case .missing(let reason):
            raw("<figure class=\"r\(Proportions.missing.ratio) missing\"><div class=problem><p>")
            text(reason)
            raw("</div>")
        }
        caption(tile.image)
        raw("</figure>\n")
    }

    private mutating func picture(_ placed: PlacedImage, _ image: FeedImage, _ number: Int) {
        let proportions = placed.proportions
        let ratio = "r\(proportions.ratio)"
        raw("<figure class=\(proportions.isWhole ? "\"\(ratio) whole\"" : ratio)><img src=\(placed.file)")
        attribute("alt", Self.visible(image.description) ?? "Picture \(number)", limit: Self.longestAlternative)
        if let size = placed.size { raw(" width=\(size.width) height=\(size.height)") }
        raw(" loading=lazy decoding=async>")
    }

    private mutating func caption(_ image: FeedImage) {
        raw("<figcaption>")
        if let description = Self.visible(image.description) {
            raw("<p>")
            text(description)
            raw("</p>")
        }
        if let location = Self.visible(image.location) {
            raw("<small>")
            text(location)
            raw("</small>")
        }
        if image.url.isRemote {
            raw("<a")
            link("href", image.url.text)
            raw(">Original</a>")
        }
        raw("</figcaption>")
    }
}
