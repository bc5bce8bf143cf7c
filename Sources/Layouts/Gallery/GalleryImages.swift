internal import FeedCore
internal import Hashing
internal import SystemFiles

/// The images of a gallery: the picture in each tile, and the files of images and thumbnails.
struct GalleryImages {
    private let files: any ImageFiles
    private let thumbnails: Thumbnails
    private var displays: [Digest: Tile.Display] = [:]
    /// The reasons why files of the cache could not be read, one for each file.
    ///
    /// They contain paths, so pages omit them.
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
            let display =
                switch image.data {
                case .stored(let stored): try display(of: stored, &plan)
                case .missing(let reason, _):
                    Tile.Display.missing(reason: reason.map(PublicURL.withoutQueries) ?? "not downloaded yet")
                }
            tiles.append(
                Tile(
                    image: image.image, display: display, anchor: try ShortHash.of(image.image.id, digits: 12),
                    fetchedAt: image.stored?.fetchedAt))
        }
        return tiles
    }

    private mutating func display(
        of stored: StoredImage, _ plan: inout GalleryPlan
    ) throws(FeedError) -> Tile.Display {
        if let known = displays[stored.digest] { return known }
        let display: Tile.Display
        do throws(FeedError) {
            display = try examine(stored, &plan)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            // The gallery shows the other images. Any other error would also affect the next file.
            display = noteUnreadable(error)
        }
        displays[stored.digest] = display
        return display
    }

    private mutating func noteUnreadable(_ error: FeedError) -> Tile.Display {
        unreadable.append(error)
        return .missing(reason: "the file in the cache can't be read")
    }

    private func examine(_ stored: StoredImage, _ plan: inout GalleryPlan) throws(FeedError) -> Tile.Display {
        let file = try files.open(stored)
        if stored.type == .svg, !SVGCheck.isPassive(try file.read(file.size, at: 0)) {
            return .missing(reason: "an SVG file that does more than draw, such as run a script or load other files")
        }
        var bytes = FileBytes(file)
        var placed = PlacedImage(
            digest: stored.digest, type: stored.type, byteCount: stored.size,
            size: try ImageSize.read(stored.type, &bytes))
        try plan.add(placed.file, size: stored.size, from: .image(stored)) { () throws(FeedError) in stored.digest }
        for (size, thumbnail) in try thumbnails.thumbnails(of: stored) ?? [] {
            placed.hasThumbnails = true
            try plan.add(
                placed.thumbnail(size), size: Int64(thumbnail.size), from: .thumbnail(of: stored, size),
                isSizeEnough: true
            ) { () throws(FeedError) in
                try SHA256.digest(of: try thumbnail.reading { () throws(SystemError) in try thumbnail.bytes() })
            }
        }
        return .image(placed)
    }

    /// Writes an image, or one of its thumbnails, into the gallery.
    ///
    /// Returns false if the cache has lost the file meanwhile; the image then counts as missing.
    mutating func put(
        _ step: GalleryPlan.Step, of stored: StoredImage, thumbnail size: ThumbnailSize? = nil,
        in directory: OutputDirectory, isReplacing: Bool
    ) throws(FeedError) -> Bool {
        do throws(FeedError) {
            let file = size == nil ? try files.open(stored) : nil
            let isPut = try directory.put(step.path, step.content, isReplacing: isReplacing) { path throws(FeedError) in
                try file?.place(at: path)
                guard let size else { return nil }
                guard let thumbnail = try thumbnails.thumbnail(of: stored, size) else {
                    throw .storage(.failed, "the thumbnail of \(stored.digest.hex) is gone from the cache")
                }
                try thumbnail.reading { () throws(SystemError) in try thumbnail.place(at: path) }
                return nil
            }
            guard isPut else { throw .foreignFileAppeared(step.path) }
            return true
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            displays[stored.digest] = noteUnreadable(error)
            return false
        }
    }

    /// Replaces the pictures of images that turned out to be lost by the reason.
    func correct(_ tiles: inout [Tile]) {
        for index in tiles.indices {
            guard let placed = tiles[index].placed, case .missing(let reason)? = displays[placed.digest] else {
                continue
            }
            tiles[index].display = .missing(reason: reason)
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

/// The steps that bring the files of a gallery up to date.
struct GalleryPlan {
    enum StepSource {
        case image(StoredImage)
        case thumbnail(of: StoredImage, ThumbnailSize)
        /// A page or a file beside the pages, from this group of `GalleryPages`. `bytes` is nil if the plan already
        /// holds too many bytes in memory.
        case page(group: Int, bytes: [UInt8]?)
    }

    struct Step {
        let path: String
        let content: FileContent
        let source: StepSource
    }

    private let directory: OutputDirectory
    /// The maximum total size of the pages that the plan holds in memory.
    ///
    /// Any further page is made again when it is written.
    private let maxHeldBytes: Int
    private var heldBytes = 0
    private(set) var new: [Step] = []
    private(set) var changed: [Step] = []
    /// The foreign files and directories that block paths of the gallery, each once.
    private(set) var obstacles: [(path: String, kind: OutputDirectory.Obstacle)] = []
    private var obstaclePaths: Set<String> = []
    /// The step that writes the index, which is the last one.
    private(set) var index: (step: Step, isReplacing: Bool)?

    init(_ directory: OutputDirectory, maxHeldBytes: Int) {
        self.directory = directory
        self.maxHeldBytes = maxHeldBytes
    }

    /// Announces the files that the steps will make.
    func announce() throws(FeedError) {
        let steps = new + changed + [index?.step].compactMap(\.self)
        if !steps.isEmpty { try directory.announce(steps.map { ($0.path, $0.content) }) }
    }

    /// Removes the pages from the plan, so that others can be added.
    mutating func removePages() {
        func isPage(_ step: Step) -> Bool { if case .page = step.source { true } else { false } }
        new.removeAll(where: isPage)
        changed.removeAll(where: isPage)
        index = nil
        heldBytes = 0
    }

    /// Adds a page, or a file beside the pages, unless it is up to date.
    mutating func add(_ file: SiteFile, ofGroup group: Int) throws(FeedError) {
        let size = file.bytes.count
        let isHeld = heldBytes + size <= maxHeldBytes
        let source = StepSource.page(group: group, bytes: isHeld ? file.bytes : nil)
        let isAdded = try add(file.name, size: Int64(size), from: source) { () throws(FeedError) in
            try SHA256.digest(of: file.bytes)
        }
        if isAdded, isHeld { heldBytes += size }
    }

    /// Adds a file of the gallery unless it is up to date.
    ///
    /// Returns whether there is a step for it now.
    @discardableResult
    mutating func add(
        _ path: String, size: Int64, from source: StepSource, isSizeEnough: Bool = false,
        digest: () throws(FeedError) -> Digest
    ) throws(FeedError) -> Bool {
        let isReplacing: Bool
        switch try directory.examine(path, size: size, isSizeEnough: isSizeEnough, digest: digest) {
        case .present: return false
        case .missing: isReplacing = false
        case .outdated: isReplacing = true
        case .foreign(let kind, let obstacle):
            if obstaclePaths.insert(obstacle).inserted { obstacles.append((obstacle, kind)) }
            isReplacing = true
        }
        let step = Step(path: path, content: FileContent(digest: try digest(), size: size), source: source)
        if path == PageNames.index {
            index = (step, isReplacing)
        } else if isReplacing {
            changed.append(step)
        } else {
            new.append(step)
        }
        return true
    }

    /// Throws if foreign files block the paths of the plan.
    ///
    /// `given` is the path of the gallery as the user wrote it.
    func requireFreeWay(to given: String) throws(FeedError) {
        let blocking = directory.replacesForeign ? obstacles.filter { $0.kind == .directory } : obstacles
        guard !blocking.isEmpty else { return }
        let names = blocking.prefix(10).map(\.path).joined(separator: ", ")
        let more = blocking.count > 10 ? " and \(blocking.count - 10) more" : ""
        let reason = "\(given): feedsync did not make these files, or somebody changed them since: \(names)\(more)"
        if blocking.contains(where: { $0.kind == .directory }) {
            throw .storage(.cannotCreate, reason).hinting("a directory is in the way of a file; move it away")
        }
        var hint = "`feedsync gallery --force \(given)` replaces them"
        if case .foreign = try directory.state(of: ".feedsync-gallery") {
            hint += ", which a gallery of an older version needs once"
        }
        throw .storage(.cannotCreate, reason).hinting(hint)
    }
}
