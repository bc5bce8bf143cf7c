package import FeedCore
internal import SystemFiles

/// Writes galleries as static pages, which any web server can serve and a browser can open from disk.
///
/// The actor works on its own thread, because it spends most of its time waiting for the disk.
package actor StaticGallery: GalleryWriter {
    private let executor = QueueExecutor("feedsync.gallery")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The directories to search for `vipsthumbnail`, in the form of `PATH`.
    private let path: String?
    /// The maximum total size of the pages that a run holds in memory.
    private let maxHeldBytes: Int

    package init(path: String? = nil, maxHeldBytes: Int = 16 << 20) {
        self.path = path
        self.maxHeldBytes = maxHeldBytes
    }

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        // While another run holds the lock, an attempt ends before it writes anything.
        let wait = LockWait(limit: target.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () async throws(FeedError) in
            var thumbnails = try Thumbnails(options.thumbnails, cache: target.cache, path: path)
            let directory = try OutputDirectory(
                target, layout: "gallery", replacesForeign: options.replacesForeign)
            try await thumbnails.make(of: feeds, from: images, progress)
            var update = GalleryUpdate(
                feeds, from: images, thumbnails, in: directory, target, maxHeldBytes: maxHeldBytes)
            return try update.write()
        }
    }
}

/// Brings the files of a gallery up to date.
///
/// An update first plans everything, and stops before writing if a foreign file blocks a path of the gallery. Then it
/// makes new files, replaces changed ones, and replaces the index last. Visitors therefore find every image of the
/// pages that they see, even during the update or after a killed run.
private struct GalleryUpdate {
    private let feeds: [GalleryFeed]
    private let directory: OutputDirectory
    private let target: OutputTarget
    private let maxHeldBytes: Int
    private var images: GalleryImages
    private let thumbnailFailure: FeedError?
    private var pageCount = 0

    init(
        _ feeds: [GalleryFeed], from files: any ImageFiles, _ thumbnails: Thumbnails, in directory: OutputDirectory,
        _ target: OutputTarget, maxHeldBytes: Int
    ) {
        self.feeds = feeds
        self.directory = directory
        self.target = target
        self.maxHeldBytes = maxHeldBytes
        images = GalleryImages(files, thumbnails)
        thumbnailFailure = thumbnails.failure
    }

    mutating func write() throws(FeedError) -> GalleryReport {
        var plan = GalleryPlan(directory, maxHeldBytes: maxHeldBytes)
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

    /// Throws if a failing disk made every image unreadable.
    ///
    /// The old gallery is worth more than an empty one.
    private func requireImages(in tiles: [[Tile]]) throws(FeedError) {
        guard let error = images.unreadable.first(where: { $0.kind == .storage(.unreadable) }) else { return }
        if !tiles.joined().contains(where: { $0.placed != nil }) { throw error }
    }

    private mutating func planPages(of tiles: [[Tile]], _ plan: inout GalleryPlan) throws(FeedError) -> GalleryPages {
        var shown: [ShownFeed] = []
        for (feed, tiles) in zip(feeds, tiles) { shown.append(try ShownFeed(feed, tiles: tiles)) }
        let known = directory.list.key
        // If the list is lost, the existing pages match the wanted ones only under their own key.
        let found =
            known == nil ? GalleryKey.find(in: try directory.beginning(of: PageNames.index, count: 4096)) : nil
        var pages = GalleryPages(shown, key: known ?? found ?? GalleryKey.make())
        let planOfImages = plan
        try add(pages, to: &plan)
        if found != nil, directory.replacesForeign, !plan.obstacles.isEmpty {
            // The page with that key is foreign, so its author may know the key.
            pages = GalleryPages(shown, key: GalleryKey.make())
            plan = planOfImages
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
                try plan.add(file, ofGroup: group)
            }
        }
    }

    /// Writes the images and thumbnails of some steps.
    ///
    /// Returns false if the cache has lost one of them.
    private mutating func putImages(_ steps: [GalleryPlan.Step], isReplacing: Bool) throws(FeedError) -> Bool {
        var areComplete = true
        for step in steps {
            if Task.isCancelled { throw .cancelled }
            let isPut =
                switch step.source {
                case .page: true
                case .image(let image):
                    try images.put(step, of: image, in: directory, isReplacing: isReplacing)
                case .thumbnail(let image, let size):
                    try images.put(step, of: image, thumbnail: size, in: directory, isReplacing: isReplacing)
                }
            if !isPut { areComplete = false }
        }
        return areComplete
    }

    /// Writes the pages of some steps.
    ///
    /// Pages that the plan does not hold in memory are made again.
    private func putPages(_ steps: [GalleryPlan.Step], of pages: GalleryPages, isReplacing: Bool) throws(FeedError) {
        var dropped: [Int: [String: FileContent]] = [:]
        for step in steps {
            guard case .page(let group, let bytes) = step.source else { continue }
            if Task.isCancelled { throw .cancelled }
            if let bytes {
                try put(SiteFile(name: step.path, bytes: bytes), step.content, isReplacing: isReplacing)
            } else {
                dropped[group, default: [:]][step.path] = step.content
            }
        }
        for (group, contents) in dropped.sorted(by: { $0.key < $1.key }) {
            try pages.forEach(in: group) { file throws(FeedError) in
                guard let content = contents[file.name] else { return }
                try put(file, content, isReplacing: isReplacing)
            }
        }
    }

    private func put(_ page: SiteFile, _ content: FileContent, isReplacing: Bool) throws(FeedError) {
        guard try directory.put(page.name, page.bytes, content, isReplacing: isReplacing) else {
            throw .foreignFileAppeared(page.name)
        }
    }

    private func report(of tiles: [[Tile]]) -> GalleryReport {
        var shown: Set<Digest> = []
        var missing: Set<ResourceURL.Key> = []
        var thumbnails: Set<Digest> = []
        for tile in tiles.joined() {
            if let placed = tile.placed {
                shown.insert(placed.digest)
                if placed.hasThumbnails { thumbnails.insert(placed.digest) }
            } else {
                missing.insert(tile.image.url.key)
            }
        }
        return GalleryReport(
            feeds: feeds.count, pages: pageCount, images: shown.count, missing: missing.count,
            thumbnails: thumbnails.count, thumbnailFailure: thumbnailFailure, unreadable: images.unreadable)
    }
}
