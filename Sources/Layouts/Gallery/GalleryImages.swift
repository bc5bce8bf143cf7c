internal import FeedCore

/// Puts images into a gallery's folder, each once, and looks at what they are.
struct ImagePlacing {
    private let files: any ImageFiles
    let thumbnails: Thumbnails
    private let folder: GalleryFolder
    private var done: [Digest: Tile.Content] = [:]

    private(set) var ratios: Set<Int> = [Proportions.missing.ratio, Proportions.unknown.ratio]
    private(set) var missing: Set<ResourceURL.Key> = []
    /// Why files of the cache could not be read, each once. The paths in these messages may not be on a page.
    private(set) var unreadable: [FeedError] = []
    /// How many files are in the folder.
    private(set) var count = 0
    private(set) var thumbnailCount = 0

    init(_ files: any ImageFiles, _ thumbnails: Thumbnails, to folder: GalleryFolder) {
        self.files = files
        self.thumbnails = thumbnails
        self.folder = folder
    }

    mutating func tile(for picture: GalleryPicture) throws(FeedError) -> Tile {
        let content =
            switch picture.data {
            case .stored(let stored): try content(of: stored)
            case .missing(let reason): Tile.Content.missing(reason: reason ?? "not downloaded yet")
            }
        if case .missing = content { missing.insert(picture.image.url.key) }
        return Tile(
            image: picture.image, content: content, address: try ShortHash.of(picture.image.id, digits: 12),
            fetchedAt: picture.stored?.fetchedAt)
    }

    /// To be called when all are placed. The old gallery is worth more than one of a disk that gave no picture at all.
    func checkDisk() throws(FeedError) {
        if count == 0, let error = unreadable.first(where: { $0.kind == .storage(.unreadable) }) { throw error }
    }

    private mutating func content(of stored: StoredImage) throws(FeedError) -> Tile.Content {
        if let known = done[stored.digest] { return known }
        let content = try place(stored)
        done[stored.digest] = content
        return content
    }

    private mutating func place(_ stored: StoredImage) throws(FeedError) -> Tile.Content {
        var placed: PlacedImage
        do throws(FeedError) {
            let file = try files.open(stored)
            if stored.type == .svg, !SVGCheck.isPassive(try file.read(file.size, at: 0)) {
                return .missing(reason: "an SVG file that holds more than a picture, such as a script")
            }
            var bytes = FileBytes(file)
            let size = try ImageSize.read(stored.type, &bytes)
            placed = PlacedImage(
                digest: stored.digest, type: stored.type, byteCount: stored.size, size: size)
            try folder.place(file, as: placed.file)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            // One bad file leaves the others to show. Any other error would be met with the next file as well.
            unreadable.append(error)
            return .missing(reason: "the file in the cache can't be read")
        }
        if thumbnails.has(stored) {
            placed.hasThumbnail = try folder.place(thumbnail: OpenFolder.thumbnail(of: stored.digest)) {
                path throws(FeedError) in try thumbnails.place(stored, at: path)
            }
            if placed.hasThumbnail { thumbnailCount += 1 }
        }
        ratios.insert(placed.proportions.ratio)
        count += 1
        return .picture(placed)
    }
}
