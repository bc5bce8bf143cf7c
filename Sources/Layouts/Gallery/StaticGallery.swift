package import FeedCore
internal import SystemFiles

/// A gallery as a folder of files: plain pages that any web server can serve, and a browser can open from disk. It is
/// written on a thread of its own, which waits for the disk all the time.
package actor StaticGallery: GalleryWriter {
    private let executor = QueueExecutor("feedsync.gallery")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Where programs are looked for.
    private let path: String?

    package init(path: String? = nil) { self.path = path }

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: GalleryPlace, progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        // While another run holds the lock, nothing is written.
        let wait = LockWait(limit: place.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () async throws(FeedError) in
            var thumbnails = try Thumbnails(place.thumbnails, cache: place.cache, path: path)
            let folder = try GalleryFolder(place)
            do throws(FeedError) {
                try await thumbnails.make(of: feeds, from: images, progress)
                let report = try Self.fill(folder, with: feeds, ImagePlacing(images, thumbnails, to: folder))
                try folder.publish()
                return report
            } catch {
                folder.abandon()
                throw error
            }
        }
    }

    private static func fill(
        _ folder: GalleryFolder, with feeds: [GalleryFeed], _ placing: consuming ImagePlacing
    ) throws(FeedError) -> GalleryReport {
        var shown: [ShownFeed] = []
        for feed in feeds {
            var tiles: [Tile] = []
            tiles.reserveCapacity(feed.pictures.count)
            for picture in feed.pictures {
                if Task.isCancelled { throw .cancelled }
                tiles.append(try placing.tile(for: picture))
            }
            shown.append(try ShownFeed(feed, tiles: tiles))
        }
        try placing.checkDisk()
        let assets = Assets(ratios: placing.ratios)
        for file in assets.all { try folder.write(file.bytes, to: file.name) }
        let frame = PageFrame(assets: assets)
        let pages = try write(shown, in: frame) { page throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            try folder.write(page.bytes, to: page.name)
        }
        for file in try Subscription(feeds: shown).files { try folder.write(file.bytes, to: file.name) }
        return GalleryReport(
            feeds: feeds.count, pages: pages, images: placing.count, missing: placing.missing.count,
            thumbnails: placing.thumbnailCount, thumbnailFailure: placing.thumbnails.failure,
            unreadable: placing.unreadable)
    }

    /// Returns how many pages there are.
    private static func write(
        _ feeds: [ShownFeed], in frame: PageFrame, _ write: (SiteFile) throws(FeedError) -> Void
    ) throws(FeedError) -> Int {
        var pages = 0
        for feed in feeds {
            for page in feed.files(frame: frame, isInside: feeds.count > 1) {
                try write(page)
                pages += 1
                if feeds.count == 1, pages == 1 { try write(SiteFile(name: "index.html", bytes: page.bytes)) }
            }
        }
        if feeds.count == 1 { return pages + 1 }
        for page in IndexPages(feeds: feeds.sorted { $0.newest > $1.newest }, frame: frame).files {
            try write(page)
            pages += 1
        }
        guard !feeds.isEmpty else { return pages }
        for page in feeds.newestFiles(frame: frame) {
            try write(page)
            pages += 1
        }
        return pages
    }
}
