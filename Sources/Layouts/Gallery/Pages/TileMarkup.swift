internal import FeedCore

/// The feed of a tile on a page with images of several feeds.
struct TileSource {
    let title: String
    /// The URL of the image on the page of that feed.
    let url: String

    static let maxTitleLength = 100
}

extension Tile {
    /// The image's description, or else its title; nil if both are invisible.
    var heading: String? { HTMLWriter.visible(image.description) ?? HTMLWriter.visible(image.title) }

    /// The URL of the item's page, if the gallery may show it.
    var pageURL: String? {
        image.link.flatMap { PublicURL.isPage($0, of: image) ? $0.text : nil }
    }

    /// The URL of the original image, if the gallery may show it.
    var originalURL: String? { PublicURL.isImage(image.url) ? image.url.text : nil }

    /// The classes of the tile's element, which give it its proportions.
    var classes: String {
        guard let placed else { return "r\(Proportions.missing.ratio) missing" }
        let proportions = placed.proportions
        return "r\(proportions.ratio)\(proportions.isWhole ? " whole" : "")"
    }
}

extension HTMLWriter {
    /// Writes a tile: from top to bottom the image, its description, its date and location, and its links.
    ///
    /// The script makes the same elements from an `ImageRecord`. The markup is terse, because a page has 200 tiles.
    mutating func tile(_ tile: Tile, number: Int, source: TileSource?) {
        raw("<figure")
        if tile.carriesAnchor { raw(" id=\(tile.anchor)") }
        raw(" class=\"\(tile.classes)\">")
        let heading = tile.heading
        switch tile.display {
        case .image(let placed): image(placed, number: number, hasCaption: heading != nil)
        case .missing(let reason):
            raw("<div class=problem><p>")
            text(reason)
            raw("</p></div>")
        }
        raw("<figcaption>")
        if let heading {
            raw("<p dir=auto>")
            text(heading)
            raw("</p>")
        }
        dateAndLocation(tile.image)
        links(of: tile, source)
        raw("</figcaption></figure>\n")
    }

    /// Writes the image as a link to its file.
    ///
    /// A description below the image is read aloud there. So the link then has a short name, and the image none.
    private mutating func image(_ placed: PlacedImage, number: Int, hasCaption: Bool) {
        raw("<a href=\(placed.file)\(hasCaption ? " aria-label=\"Image \(number)\"" : "")><img src=\(placed.preview)")
        if placed.hasThumbnails { raw(" srcset=\"\(placed.sourceSet)\" sizes=\"auto, 20rem\"") }
        raw(" alt=\"\(hasCaption ? "" : "Image \(number)")\"")
        if let size = placed.size { raw(" width=\(size.width) height=\(size.height)") }
        raw(" loading=lazy decoding=async></a>")
    }

    private mutating func dateAndLocation(_ image: FeedImage) {
        let location = Self.visible(image.location)
        guard image.published != nil || location != nil else { return }
        raw("<small>")
        if let day = image.published?.day { raw("<time datetime=\(day)>\(day)</time>") }
        if image.published != nil, location != nil { raw(" · ") }
        if let location {
            raw("<span dir=auto>")
            text(location)
            raw("</span>")
        }
        raw("</small>")
    }

    private mutating func links(of tile: Tile, _ source: TileSource?) {
        let links = [(tile.pageURL, "Page"), (tile.originalURL, "Original")]
        guard source != nil || links.contains(where: { $0.0 != nil }) else { return }
        raw("<div class=links>")
        for case (let url?, let name) in links {
            raw("<a")
            link("href", url)
            raw(">\(name)</a>")
        }
        if let source {
            raw("<a class=source dir=auto href=\"\(source.url)\">")
            text(source.title, limit: TileSource.maxTitleLength)
            raw("</a>")
        }
        raw("</div>")
    }
}

extension PlacedImage {
    /// The thumbnails with their widths, from which a browser chooses.
    var sourceSet: String {
        ThumbnailSize.allCases.map { thumbnail in
            let width = size.flatMap(thumbnail.size).map { "\($0.width)w" }
            return "\(self.thumbnail(thumbnail)) \(width ?? (thumbnail == .small ? "1x" : "2x"))"
        }.joined(separator: ", ")
    }
}
