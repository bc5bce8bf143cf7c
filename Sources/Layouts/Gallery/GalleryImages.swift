internal import FeedCore
internal import Hashing
internal import SystemFiles

/// The images of a gallery: what a page shows of each, and their files.
struct GalleryImages {
    private let files: any ImageFiles
    private let thumbnails: Thumbnails
    private var contents: [Digest: Tile.Content] = [:]
    /// Why files of the cache could not be read, each once. Pages do not show these messages, which contain paths.
    private(set) var unreadable: [FeedError] = []

    init(_ files: any ImageFiles, _ thumbnails: Thumbnails) {
        self.files = files
        self.thumbnails = thumbnails
    }

    /// Makes the tiles of a feed. The files that the gallery needs for them are added to the plan.
    mutating func tiles(of feed: GalleryFeed, _ plan: inout GalleryPlan) throws(FeedError) -> [Tile] {
        var tiles: [Tile] = []
        tiles.reserveCapacity(feed.images.count)
        for image in feed.images {
            if Task.isCancelled { throw .cancelled }
            let content =
                switch image.data {
                case .stored(let stored): try content(of: stored, &plan)
                case .missing(let reason):
                    Tile.Content.missing(reason: reason.map(PublicURL.withoutQueries) ?? "not downloaded yet")
                }
            tiles.append(
                Tile(
                    image: image.image, content: content, address: try ShortHash.of(image.image.id, digits: 12),
                    fetchedAt: image.stored?.fetchedAt))
        }
        return tiles
    }

    private mutating func content(
        of stored: StoredImage, _ plan: inout GalleryPlan
    ) throws(FeedError) -> Tile.Content {
        if let known = contents[stored.digest] { return known }
        let content: Tile.Content
        do throws(FeedError) {
            content = try examine(stored, &plan)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            // One bad file leaves the others to show. Any other error would be met with the next file as well.
            content = noteUnreadable(error)
        }
        contents[stored.digest] = content
        return content
    }

    private mutating func noteUnreadable(_ error: FeedError) -> Tile.Content {
        unreadable.append(error)
        return .missing(reason: "the file in the cache can't be read")
    }

    private func examine(_ stored: StoredImage, _ plan: inout GalleryPlan) throws(FeedError) -> Tile.Content {
        let file = try files.open(stored)
        if stored.type == .svg, !SVGCheck.isPassive(try file.read(file.size, at: 0)) {
            return .missing(reason: "an SVG file that does more than draw, such as run a script or load other files")
        }
        var bytes = FileBytes(file)
        var placed = PlacedImage(
            digest: stored.digest, type: stored.type, byteCount: stored.size,
            size: try ImageSize.read(stored.type, &bytes))
        try plan.add(placed.file, size: stored.size, from: .image(stored)) { () throws(FeedError) in stored.digest }
        if let thumbnail = try thumbnails.thumbnail(of: stored) {
            placed.hasThumbnail = true
            try plan.add(
                PlacedImage.thumbnail(of: stored.digest), size: Int64(thumbnail.size), from: .thumbnail(of: stored),
                isSizeEnough: true
            ) { () throws(FeedError) in
                try SHA256.digest(of: try thumbnail.reading { () throws(SystemError) in try thumbnail.bytes() })
            }
        }
        return .image(placed)
    }

    /// Puts an image or its thumbnail into the gallery. Returns false if the cache turns out to have lost it: then it is
    /// shown as missing.
    mutating func put(
        _ step: GalleryPlan.Step, of stored: StoredImage, isThumbnail: Bool, in directory: OutputDirectory,
        isReplacing: Bool
    ) throws(FeedError) -> Bool {
        do throws(FeedError) {
            let file = isThumbnail ? nil : try files.open(stored)
            let isPut = try directory.put(step.path, step.content, isReplacing: isReplacing) { path throws(FeedError) in
                if let file {
                    try file.place(at: path)
                } else {
                    guard let thumbnail = try thumbnails.thumbnail(of: stored) else {
                        throw .storage(.failed, "the thumbnail of \(stored.digest.hex) is gone from the cache")
                    }
                    try thumbnail.reading { () throws(SystemError) in try thumbnail.place(at: path) }
                }
                return nil
            }
            guard isPut else { throw .somebodyElseWrote(step.path) }
            return true
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            contents[stored.digest] = noteUnreadable(error)
            return false
        }
    }

    /// Shows images as missing that turned out to be lost.
    func correct(_ tiles: inout [Tile]) {
        for index in tiles.indices {
            guard let placed = tiles[index].placed, case .missing(let reason)? = contents[placed.digest] else {
                continue
            }
            tiles[index].content = .missing(reason: reason)
        }
    }
}

extension ThumbnailFile {
    fileprivate func reading<Outcome>(_ work: () throws(SystemError) -> Outcome) throws(FeedError) -> Outcome {
        do { return try work() } catch { throw .storage(.failed, "writing the gallery failed: \(error.message)") }
    }
}

extension FeedError {
    static func somebodyElseWrote(_ path: String) -> FeedError {
        .storage(.failed, "writing the gallery failed: somebody put \(path) there meanwhile").hinting("run it again")
    }
}
