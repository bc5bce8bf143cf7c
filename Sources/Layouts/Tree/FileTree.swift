package import FeedCore
internal import Glibc
internal import SystemFiles

/// Pictures as files in a folder that people may use as they like. It works on a thread of its own, which waits for the
/// disk all the time.
package actor FileTree: TreeWriter {
    private let executor = QueueExecutor("feedsync.tree")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: TreePlace
    ) async throws(FeedError) -> TreeReport {
        var naming = TreeNaming(place.template)
        var wanted: [WantedFile] = []
        var missing: Set<ResourceURL.Key> = []
        for feed in feeds {
            if Task.isCancelled { throw .cancelled }
            wanted += naming.files(of: feed)
            for picture in feed.pictures where picture.stored == nil { missing.insert(picture.image.url.key) }
        }
        var report = TreeReport(feeds: feeds.count)
        report.missing = missing.count
        let wait = LockWait(limit: place.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () throws(FeedError) in
            guard let root = try Self.open(place) else {
                var names = FreeNames()
                report.added = wanted.map { names.path(for: $0) }
                report.files = wanted.count
                return report
            }
            var change = TreeChange(root, images, isDryRun: place.isDryRun)
            return try change.make(wanted, report)
        }
    }

    /// Locked. Nil where there is none, and none is to be made.
    private static func open(_ place: TreePlace) throws(FeedError) -> Descriptor? {
        do throws(SystemError) {
            let destination = try Destination(place.path)
            try destination.requireApart(from: place.cache)
            if place.isDryRun {
                if access(destination.path, F_OK) != 0 { return nil }
            } else {
                try destination.makeFoldersAbove()
                guard mkdir(destination.path, 0o777) == 0 || errno == EEXIST else {
                    throw SystemError("can't be created", place.path)
                }
            }
            let root = try Descriptor.folder(at: destination.path)
            if !place.isDryRun, try !root.lock() {
                throw SystemError(EWOULDBLOCK, "another feedsync run is writing it", place.path)
            }
            return root
        } catch let error where error.code == EWOULDBLOCK {
            throw .storage(.locked, error.message)
        } catch {
            throw error.ofTreesPlace
        }
    }
}
