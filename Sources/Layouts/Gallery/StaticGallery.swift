package import FeedCore
internal import SystemFiles

/// Writes galleries as plain pages that any web server can serve and that a browser can open from disk.
///
/// It works on a thread of its own, because it waits for the disk all the time.
package actor StaticGallery: GalleryWriter {
    private let executor = QueueExecutor("feedsync.gallery")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The directories of programs, as in `PATH`.
    private let path: String?

    package init(path: String? = nil) { self.path = path }

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream? = nil
    ) async throws(FeedError) -> GalleryReport {
        // While another run holds the lock, nothing is written.
        let wait = LockWait(limit: target.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () async throws(FeedError) in
            var thumbnails = try Thumbnails(options.thumbnails, cache: target.cache, path: path)
            let directory = try OutputDirectory(
                target, what: "gallery", replacesForeign: options.replacesForeign)
            try await thumbnails.make(of: feeds, from: images, progress)
            var run = GalleryRun(feeds, from: images, thumbnails, in: directory, target)
            return try run.write()
        }
    }
}
