internal import FeedCore

/// An item of a feed, as its document gives it: what may become images.
struct FeedItem {
    /// No item has so many. Each takes many times the memory of its `<img>`, until the item is done with.
    static let mostImages = 50_000

    var id: String?
    /// As plain text.
    var title: String?
    var location: String?
    /// In the order in which they count.
    var images: [ImageReference] = []
    /// Count where no other image is.
    var thumbnails: [ImageReference] = []
    /// Why not all of its HTML was read, if so.
    var cut: String?

    /// Each of its images has its texts.
    var shortened: FeedItem {
        var item = self
        item.id = id.map(TextLimits.shortenedID)
        item.title = title.map(TextLimits.shortened)
        item.location = location.map(TextLimits.shortened)
        return item
    }
}

/// A picture that an item names.
struct ImageReference {
    /// A URL, perhaps relative, perhaps wrong.
    let reference: String
    /// The `xml:base` that held there.
    var base: ResourceURL?
    /// Its own title, caption or alternative text, as plain text.
    var description: String?
    var location: String?
    /// Of the same picture, the best first: one of them stands in where this can't be used.
    var otherRenditions: [ImageReference] = []

    init?(_ reference: String?, base: ResourceURL? = nil, description: String? = nil) {
        guard let reference else { return nil }
        self.reference = reference
        self.base = base
        self.description = description
    }
}

/// Whether an enclosure is a picture: by its type, or, where that says nothing, by the name of the file.
enum ImageKind {
    static func isImage(type: String?, reference: String) -> Bool {
        if let type, !isVague(type: type) { return isImage(type: type) }
        return hasImageName(reference)
    }

    /// What servers say that know no better, and what is no type at all: `jpg`, `image`.
    static func isVague(type: String) -> Bool {
        guard let type = FoldedText.fold(type)?.lowercased().utf8 else { return true }
        return !type.contains(UInt8(ascii: "/")) || vagueTypes.contains { type.starts(with: $0.utf8) }
    }

    private static let vagueTypes = [
        "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/binary",
        "application/force-download", "application/unknown", "unknown/",
    ]

    static func isImage(type: String) -> Bool {
        let start = type.utf8.drop { $0 <= 0x20 }
        return start.count > 6 && Substring(start.prefix(6)).lowercased() == "image/"
    }

    static func hasImageName(_ reference: String) -> Bool {
        let path = reference.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), path.distance(from: dot, to: path.endIndex) <= 6 else {
            return false
        }
        return suffixes.contains(Substring(path[path.index(after: dot)...]).lowercased())
    }

    private static let suffixes: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "bmp", "tif", "tiff", "ico",
        "jxl", "svg",
    ]
}
