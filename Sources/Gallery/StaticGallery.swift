package import FeedCore
internal import SystemFiles

/// A gallery as a folder of files: plain pages that any web server can serve, and a browser can open from disk. It is
/// written on a thread of its own, which waits for the disk all the time.
package actor StaticGallery: GalleryWriter {
    private let executor = QueueExecutor("feedsync.gallery")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport {
        // While another run holds the lock, nothing is written.
        let wait = LockWait(limit: place.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () async throws(FeedError) in
            let folder = try GalleryFolder(place)
            do throws(FeedError) {
                let report = try Self.fill(folder, with: feeds, images)
                try folder.publish()
                return report
            } catch {
                folder.abandon()
                throw error
            }
        }
    }

    private static func fill(
        _ folder: GalleryFolder, with feeds: [GalleryFeed], _ images: any ImageFiles
    ) throws(FeedError) -> GalleryReport {
        var placing = ImagePlacing(files: images, folder: folder)
        var names = PageNames()
        var shown: [ShownFeed] = []
        for feed in feeds {
            var tiles: [Tile] = []
            tiles.reserveCapacity(feed.pictures.count)
            for picture in feed.pictures {
                if Task.isCancelled { throw .cancelled }
                tiles.append(try placing.tile(for: picture))
            }
            let pages = feeds.count == 1 ? "index" : names.name(for: FeedName(feed))
            shown.append(ShownFeed(feed: feed, tiles: tiles, pages: pages))
        }
        try placing.checkDisk()
        let assets = Assets(ratios: placing.ratios)
        for file in assets.all { try folder.write(file.bytes, to: file.name) }
        let frame = PageFrame(assets: assets)
        var pages = 0
        for feed in shown {
            for page in FeedPages(shown: feed, frame: frame, isInside: shown.count > 1).files {
                if Task.isCancelled { throw .cancelled }
                try folder.write(page.bytes, to: page.name)
                pages += 1
            }
        }
        if shown.count != 1 {
            for page in IndexPages(feeds: shown, frame: frame).files {
                try folder.write(page.bytes, to: page.name)
                pages += 1
            }
        }
        return GalleryReport(
            feeds: feeds.count, pages: pages, images: placing.count, missing: placing.missing.count,
            unreadable: placing.unreadable)
    }
}
