internal import FeedCore

/// An image as a page shows it.
struct Tile {
    /// The image's file in the gallery, or the reason why there is none.
    enum Display {
        case image(PlacedImage)
        case missing(reason: String)
    }

    let image: FeedImage
    var display: Display
    /// The fragment of the URL that leads to the tile, and the tile's HTML id.
    let anchor: String
    /// The time when the image's data was first fetched; nil for an image without data.
    let fetchedAt: Timestamp?
    /// Whether the tile is the first one with its anchor, which therefore carries it.
    var carriesAnchor = true
    /// The date for sorting: the publication date, or else a date that keeps the image in its position in the feed.
    var sortDate = Timestamp.writable.lowerBound

    var placed: PlacedImage? {
        if case .image(let placed) = display { placed } else { nil }
    }
}

/// An image whose file is in the gallery.
struct PlacedImage {
    let digest: Digest
    let type: ImageType
    let byteCount: Int64
    /// The image's width and height; nil if they are unknown.
    let size: ImageSize?

    var hasThumbnails = false

    /// Returns the path of a thumbnail, relative to the pages.
    func thumbnail(_ size: ThumbnailSize) -> String { "thumbnails/\(digest.hex)\(size.suffix)" }

    /// The path of the smallest file that shows the image, relative to the pages.
    var preview: String { hasThumbnails ? thumbnail(.small) : file }

    /// The path of the file, relative to the pages.
    var file: String { "images/\(digest.hex).\(type.fileExtension)" }

    var proportions: Proportions { size.map(Proportions.init) ?? .unknown }
}

/// The room that an image takes in the grid.
struct Proportions: Hashable {
    /// The width divided by the height, in hundredths.
    let ratio: Int
    /// Whether the image is shown whole within that room, with space around it.
    ///
    /// Otherwise it fills the room.
    let isWhole: Bool

    static let unknown = Proportions(ratio: 133, isWhole: true)
    static let missing = Proportions(ratio: 133, isWhole: false)
    /// The ratios that the grid allows: room for a caption below the narrowest, and for a neighbour beside the widest.
    private static let allowed = 66...400
    /// The minimum side of an image that may be enlarged.
    ///
    /// Images with two smaller sides, such as icons, keep their size.
    private static let minSide = 96

    private init(ratio: Int, isWhole: Bool) {
        self.ratio = ratio
        self.isWhole = isWhole
    }

    init(_ size: ImageSize) {
        let exact = (100 * size.width + size.height / 2) / size.height
        ratio = min(max(exact, Self.allowed.lowerBound), Self.allowed.upperBound)
        isWhole = ratio != exact || max(size.width, size.height) < Self.minSide
    }

    /// Returns the rule of the style sheet for a ratio.
    static func rule(_ ratio: Int) -> String {
        let hundredths = ratio % 100
        return ".r\(ratio){--r:\(ratio / 100).\(hundredths < 10 ? "0" : "")\(hundredths)}\n"
    }
}
