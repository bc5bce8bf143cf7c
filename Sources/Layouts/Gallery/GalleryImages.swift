internal import FeedCore
internal import Hashing
internal import SystemFiles

/// The images of a gallery: the picture in each tile, and the files of images and thumbnails.
struct GalleryImages {
    private let files: any ImageFiles
    private let thumbnails: Thumbnails
    private var pictures: [Digest: Tile.Picture] = [:]
    /// The reasons why files of the cache could not be read, one for each file. They contain paths, so pages omit them.
    private(set) var unreadable: [FeedError] = []

    init(_ files: any ImageFiles, _ thumbnails: Thumbnails) {
        self.files = files
        self.thumbnails = thumbnails
    }

    /// Makes the tiles of a feed, and adds the files for them to the plan.
    mutating func tiles(of feed: GalleryFeed, _ plan: inout GalleryPlan) throws(FeedError) -> [Tile] {
        var tiles: [Tile] = []
        tiles.reserveCapacity(feed.images.count)
        for image in feed.images {
            if Task.isCancelled { throw .cancelled }
            let picture =
                switch image.data {
                case .stored(let stored): try picture(of: stored, &plan)
                case .missing(let reason):
                    Tile.Picture.missing(reason: reason.map(PublicURL.withoutQueries) ?? "not downloaded yet")
                }
            tiles.append(
                Tile(
                    image: image.image, picture: picture, anchor: try ShortHash.of(image.image.id, digits: 12),
                    fetchedAt: image.stored?.fetchedAt))
        }
        return tiles
    }

    private mutating func picture(
        of stored: StoredImage, _ plan: inout GalleryPlan
    ) throws(FeedError) -> Tile.Picture {
        if let known = pictures[stored.digest] { return known }
        let picture: Tile.Picture
        do throws(FeedError) {
            picture = try examine(stored, &plan)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            // The gallery shows the other images. Any other error would also affect the next file.
            picture = noteUnreadable(error)
        }
        pictures[stored.digest] = picture
        return picture
    }

    private mutating func noteUnreadable(_ error: FeedError) -> Tile.Picture {
        unreadable.append(error)
        return .missing(reason: "the file in the cache can't be read")
    }

    private func examine(_ stored: StoredImage, _ plan: inout GalleryPlan) throws(FeedError) -> Tile.Picture {
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

    /// Writes an image or its thumbnail into the gallery. Returns false if the cache has lost the file meanwhile; the
    /// image then counts as missing.
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
            guard isPut else { throw .foreignFileAppeared(step.path) }
            return true
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            pictures[stored.digest] = noteUnreadable(error)
            return false
        }
    }

    /// Replaces the pictures of images that turned out to be lost by the reason.
    func correct(_ tiles: inout [Tile]) {
        for index in tiles.indices {
            guard let placed = tiles[index].placed, case .missing(let reason)? = pictures[placed.digest] else {
                continue
            }
            tiles[index].picture = .missing(reason: reason)
        }
    }
}

extension ThumbnailFile {
    fileprivate func reading<Outcome>(_ work: () throws(SystemError) -> Outcome) throws(FeedError) -> Outcome {
        do { return try work() } catch { throw .storage(.failed, "writing the gallery failed: \(error.message)") }
    }
}

extension FeedError {
    /// The error that a file of the gallery can't be made, because a foreign one appeared under its path during the
    /// run.
    static func foreignFileAppeared(_ path: String) -> FeedError {
        .storage(.failed, "writing the gallery failed: somebody put \(path) there meanwhile").hinting("run it again")
    }
}
