internal import FeedCore
internal import Hashing

/// One run that brings a gallery up to date.
///
/// It first looks at everything, and stops before it writes anything if foreign files are in the way. Then it makes new
/// files, replaces changed ones, and last of all the index: a visitor who comes meanwhile, or after the run was killed,
/// finds pages whose images are there.
struct GalleryRun {
    private let feeds: [GalleryFeed]
    private let directory: OutputDirectory
    private let target: OutputTarget
    private var images: GalleryImages
    private let thumbnailFailure: FeedError?
    private var pageCount = 0

    init(
        _ feeds: [GalleryFeed], from files: any ImageFiles, _ thumbnails: Thumbnails, in directory: OutputDirectory,
        _ target: OutputTarget
    ) {
        self.feeds = feeds
        self.directory = directory
        self.target = target
        images = GalleryImages(files, thumbnails)
        thumbnailFailure = thumbnails.failure
    }

    mutating func write() throws(FeedError) -> GalleryReport {
        var plan = GalleryPlan(directory)
        var tiles: [[Tile]] = []
        for feed in feeds { tiles.append(try images.tiles(of: feed, &plan)) }
        try requireImages(in: tiles)
        var pages = try planPages(of: tiles, &plan)
        try plan.requireFreeWay(to: target.path)
        try plan.announce()
        if try !putImages(plan.new, isReplacing: false) {
            for index in tiles.indices { images.correct(&tiles[index]) }
            try requireImages(in: tiles)
            plan.removePages()
            pages = try planPages(of: tiles, &plan)
            try plan.announce()
        }
        try putPages(plan.new, of: pages, isReplacing: false)
        guard try putImages(plan.changed, isReplacing: true) else {
            throw .storage(.failed, "writing the gallery failed: the cache lost an image meanwhile")
        }
        try putPages(plan.changed, of: pages, isReplacing: true)
        if let (step, isReplacing) = plan.index { try putPages([step], of: pages, isReplacing: isReplacing) }
        try directory.finish()
        return report(of: tiles)
    }

    /// Throws if a failing disk gave no image at all: the old gallery is worth more than an empty one.
    private func requireImages(in tiles: [[Tile]]) throws(FeedError) {
        guard let error = images.unreadable.first(where: { $0.kind == .storage(.unreadable) }) else { return }
        if !tiles.joined().contains(where: { $0.placed != nil }) { throw error }
    }

    private mutating func planPages(of tiles: [[Tile]], _ plan: inout GalleryPlan) throws(FeedError) -> GalleryPages {
        var shown: [ShownFeed] = []
        for (feed, tiles) in zip(feeds, tiles) { shown.append(try ShownFeed(feed, tiles: tiles)) }
        let known = directory.list.key
        // Without a list, the pages that are there are the wanted ones only if they keep their key.
        let found =
            known == nil ? GalleryKey.find(in: try directory.beginning(of: GalleryPages.index, count: 4096)) : nil
        var pages = GalleryPages(shown, key: known ?? found ?? GalleryKey.make())
        let imagesAlone = plan
        try add(pages, to: &plan)
        if found != nil, directory.replacesForeign, !plan.obstacles.isEmpty {
            // Whoever put the foreign page there may know its key.
            pages = GalleryPages(shown, key: GalleryKey.make())
            plan = imagesAlone
            try add(pages, to: &plan)
        }
        directory.setKey(pages.key)
        return pages
    }

    private mutating func add(_ pages: GalleryPages, to plan: inout GalleryPlan) throws(FeedError) {
        pageCount = 0
        for group in pages.groups {
            try pages.forEach(in: group) { file throws(FeedError) in
                if file.name.hasSuffix(".html") { pageCount += 1 }
                try plan.add(file.name, size: Int64(file.bytes.count), from: .page(group: group)) {
                    () throws(FeedError) in try SHA256.digest(of: file.bytes)
                }
            }
        }
    }

    /// Returns false if the cache has lost an image.
    private mutating func putImages(_ steps: [GalleryPlan.Step], isReplacing: Bool) throws(FeedError) -> Bool {
        var areAllThere = true
        for step in steps {
            if Task.isCancelled { throw .cancelled }
            let isThere =
                switch step.source {
                case .page: true
                case .image(let image):
                    try images.put(step, of: image, isThumbnail: false, in: directory, isReplacing: isReplacing)
                case .thumbnail(let image):
                    try images.put(step, of: image, isThumbnail: true, in: directory, isReplacing: isReplacing)
                }
            if !isThere { areAllThere = false }
        }
        return areAllThere
    }

    private func putPages(_ steps: [GalleryPlan.Step], of pages: GalleryPages, isReplacing: Bool) throws(FeedError) {
        var wanted: [Int: [String: FileContent]] = [:]
        for step in steps {
            if case .page(let group) = step.source { wanted[group, default: [:]][step.path] = step.content }
        }
        for (group, contents) in wanted.sorted(by: { $0.key < $1.key }) {
            try pages.forEach(in: group) { file throws(FeedError) in
                guard let content = contents[file.name] else { return }
                guard try directory.put(file.name, file.bytes, content, isReplacing: isReplacing) else {
                    throw .somebodyElseWrote(file.name)
                }
            }
        }
    }

    private func report(of tiles: [[Tile]]) -> GalleryReport {
        var shown: Set<Digest> = []
        var missing: Set<ResourceURL.Key> = []
        var thumbnails: Set<Digest> = []
        for tile in tiles.joined() {
            if let placed = tile.placed {
                shown.insert(placed.digest)
                if placed.hasThumbnail { thumbnails.insert(placed.digest) }
            } else {
                missing.insert(tile.image.url.key)
            }
        }
        return GalleryReport(
            feeds: feeds.count, pages: pageCount, images: shown.count, missing: missing.count,
            thumbnails: thumbnails.count, thumbnailFailure: thumbnailFailure, unreadable: images.unreadable)
    }
}
