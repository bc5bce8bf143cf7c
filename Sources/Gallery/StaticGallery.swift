internal import Dispatch
package import FeedCore
internal import Synchronization

/// A gallery as a folder of files: plain pages that any web server can serve, and a browser can open from disk.
package struct StaticGallery: GalleryWriter {
    private let queue = DispatchQueue(label: "feedsync.gallery")
    private let sleeping: @Sendable (Duration) async throws -> Void

    package init(
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.sleeping = sleeping
    }

    package func write(
        _ gallery: Gallery, images: any ImageFiles, to place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport {
        // While somebody else holds the lock, nothing is written.
        try await LockWait(limit: place.lockWait, sleeping: sleeping).retrying { () async throws(FeedError) in
            try await attempt(gallery, images, place)
        }
    }

    /// On a thread of its own: it waits for the disk all the time.
    private func attempt(
        _ gallery: Gallery, _ images: any ImageFiles, _ place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport {
        let stop = Stop()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Self.write(gallery, images, place, stop)) }
            }
        } onCancel: {
            stop.request()
        }
        return try result.get()
    }

    private static func write(
        _ gallery: Gallery, _ images: any ImageFiles, _ place: GalleryPlace, _ stop: Stop
    ) -> Result<GalleryReport, FeedError> {
        Result { () throws(FeedError) in
            let folder = try GalleryFolder(place)
            do throws(FeedError) {
                let report = try Self.fill(folder, with: gallery, images, stop)
                try folder.publish()
                return report
            } catch {
                folder.abandon()
                throw error
            }
        }
    }

    private static func fill(
        _ folder: GalleryFolder, with gallery: Gallery, _ images: any ImageFiles, _ stop: Stop
    ) throws(FeedError) -> GalleryReport {
        var placing = ImagePlacing(files: images, folder: folder)
        var names = PageNames()
        var entries: [IndexPages.Entry] = []
        for feed in gallery.feeds {
            var tiles: [Tile] = []
            tiles.reserveCapacity(feed.pictures.count)
            for picture in feed.pictures {
                if stop.isRequested { throw .cancelled }
                tiles.append(try placing.tile(for: picture))
            }
            let name = gallery.feeds.count == 1 ? "index" : names.name(for: FeedName(feed))
            entries.append(.init(feed: feed, tiles: tiles, name: name, isFresh: gallery.isFresh(feed)))
        }
        try placing.checkDisk()
        let assets = Assets(ratios: placing.ratios)
        for file in assets.all { try folder.write(file.bytes, to: file.name) }
        let key = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined()
        var pages = 0
        for entry in entries {
            if stop.isRequested { throw .cancelled }
            let frame = PageFrame(
                assets: assets, maxAge: entry.feed.maxAge, isFresh: entry.isFresh, key: key)
            pages += try FeedPages(
                feed: entry.feed, tiles: entry.tiles, name: entry.name, frame: frame, isInside: entries.count > 1
            ).write { file, bytes throws(FeedError) in try folder.write(bytes, to: file) }
        }
        if entries.count != 1 {
            let newest = entries.max { $0.feed.savedAt < $1.feed.savedAt }
            let frame = PageFrame(
                assets: assets, maxAge: newest?.feed.maxAge ?? .forever, isFresh: newest?.isFresh ?? true,
                key: key)
            pages += try IndexPages(entries: entries, frame: frame).write { file, bytes throws(FeedError) in
                try folder.write(bytes, to: file)
            }
        }
        return GalleryReport(
            feeds: entries.count, pages: pages, images: placing.count, missing: placing.missing.count,
            unreadable: placing.unreadable)
    }
}

/// Tells a thread that nobody waits for its work any more.
private final class Stop: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    func request() { flag.store(true, ordering: .relaxed) }
}
