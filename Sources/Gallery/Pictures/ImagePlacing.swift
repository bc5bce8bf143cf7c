internal import FeedCore

/// Puts images into a gallery's folder, each once, and looks at what they are.
struct ImagePlacing {
    private let files: any ImageFiles
    private let folder: GalleryFolder
    private var done: [Digest: Tile.Content] = [:]

    private(set) var ratios: Set<Int> = [Proportions.missing.ratio, Proportions.unknown.ratio]
    private(set) var missing: Set<ResourceURL.Key> = []
    /// Why files of the cache could not be read, each once. The paths in these messages may not be on a page.
    private(set) var unreadable: [FeedError] = []
    /// How many files are in the folder.
    private(set) var count = 0

    init(files: any ImageFiles, folder: GalleryFolder) {
        self.files = files
        self.folder = folder
    }

    mutating func tile(for picture: GalleryPicture) throws(FeedError) -> Tile {
        let content =
            switch picture.data {
            case .stored(let stored): try content(of: stored)
            case .missing(let reason): Tile.Content.missing(reason: reason ?? "not downloaded yet")
            }
        if case .missing = content { missing.insert(picture.image.url.key) }
        return Tile(image: picture.image, content: content)
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
        let placed: PlacedImage
        do throws(FeedError) {
            let file = try files.open(stored)
            if stored.type == .svg, !SVGCheck.isPassive(try file.read(file.size, at: 0)) {
                return .missing(reason: "an SVG file that holds more than a picture, such as a script")
            }
            var bytes = FileBytes(file)
            let size = try ImageSize.read(stored.type, &bytes)
            placed = PlacedImage(digest: stored.digest, type: stored.type, size: size)
            try folder.place(file, as: placed.file)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            // One bad file leaves the others to show. Any other error would be met with the next file as well.
            unreadable.append(error)
            return .missing(reason: "the file in the cache can't be read")
        }
        ratios.insert(placed.proportions.ratio)
        count += 1
        return .picture(placed)
    }
}
