internal import FeedCore

/// A image as a page shows it.
struct Tile {
    enum Content {
        case image(PlacedImage)
        case missing(reason: String)
    }

    let image: FeedImage
    var content: Content
    /// What stands behind the `#` of its address.
    let address: String
    /// When it was had first; nil for one that never was.
    let fetchedAt: Timestamp?
    /// What it is sorted by: when it was published, else a moment that keeps it where its feed has it.
    var since = Timestamp.writable.lowerBound

    var placed: PlacedImage? {
        if case .image(let placed) = content { placed } else { nil }
    }
}

/// An image whose file is in the gallery.
struct PlacedImage {
    static func thumbnail(of digest: Digest) -> String { "thumbnails/\(digest.hex).webp" }

    let digest: Digest
    let type: ImageType
    let byteCount: Int64
    /// Nil where it isn't known.
    let size: ImageSize?

    var hasThumbnail = false

    /// A small image of it, relative to the pages.
    var thumbnail: String? { hasThumbnail ? Self.thumbnail(of: digest) : nil }

    /// Relative to the pages.
    var file: String { "images/\(digest.hex).\(type.fileExtension)" }

    var proportions: Proportions { size.map(Proportions.init) ?? .unknown }
}

/// The room that a image takes in the grid.
struct Proportions: Hashable {
    /// Its width by its height, in hundredths.
    let ratio: Int
    /// The image doesn't fill that room, and is shown whole within it.
    let isWhole: Bool

    static let unknown = Proportions(ratio: 133, isWhole: true)
    static let missing = Proportions(ratio: 133, isWhole: false)
    /// Narrower images would leave no room for a caption, wider ones none for others beside them.
    private static let shown = 50...300
    /// Images that are smaller on both sides, such as icons, are not blown up.
    private static let smallestSide = 96

    private init(ratio: Int, isWhole: Bool) {
        self.ratio = ratio
        self.isWhole = isWhole
    }

    init(_ size: ImageSize) {
        let exact = (100 * size.width + size.height / 2) / size.height
        ratio = min(max(exact, Self.shown.lowerBound), Self.shown.upperBound)
        isWhole = ratio != exact || max(size.width, size.height) < Self.smallestSide
    }

    /// The rule in the style sheet.
    static func rule(_ ratio: Int) -> String {
        let hundredths = ratio % 100
        return ".r\(ratio){--r:\(ratio / 100).\(hundredths < 10 ? "0" : "")\(hundredths)}\n"
    }
}
