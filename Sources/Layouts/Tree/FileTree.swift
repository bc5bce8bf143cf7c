package import FeedCore
internal import Glibc
internal import SystemFiles

/// Writes images as files with readable names into a directory of the user.
///
/// The actor works on its own thread, because it spends most of its time waiting for the disk.
package actor FileTree: TreeWriter {
    private let executor = QueueExecutor("feedsync.tree")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    package func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport {
        var naming = TreeNaming(options.template)
        var wanted: [TreeFile] = []
        var missing: Set<ResourceURL.Key> = []
        for feed in feeds {
            if Task.isCancelled { throw .cancelled }
            wanted += naming.files(of: feed)
            for image in feed.images where image.stored == nil { missing.insert(image.image.url.key) }
        }
        var report = TreeReport(feeds: feeds.count)
        report.missing = missing.count
        // A missing cache has neither own files to delete nor images to write.
        let isReading = options.isDryRun || wanted.isEmpty && access(target.cache, F_OK) != 0
        let wait = LockWait(limit: target.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () throws(FeedError) in
            let directory = try OutputDirectory(target, layout: "tree", isReading: isReading)
            var update = TreeUpdate(directory: directory, images: images, report: report)
            return try update.write(wanted, isDryRun: options.isDryRun)
        }
    }
}

/// Brings a tree up to date: it makes new files, then replaces changed ones, and deletes the others last.
private struct TreeUpdate {
    let directory: OutputDirectory
    let images: any ImageFiles
    var report: TreeReport
    /// The ways to make a file of an image, without those that turned out to be impossible here.
    private var placements: [ImagePlacement] = ImagePlacement.allCases

    init(directory: OutputDirectory, images: any ImageFiles, report: TreeReport) {
        self.directory = directory
        self.images = images
        self.report = report
    }

    mutating func write(_ wanted: [TreeFile], isDryRun: Bool) throws(FeedError) -> TreeReport {
        let plan = try TreePlan(wanted, in: directory)
        report.changedByOthers = plan.changedByOthers
        report.removed = plan.removed
        report.files = plan.kept
        guard !isDryRun else {
            report.added = plan.added.map(\.path)
            report.files += plan.added.count
            return report
        }
        if !plan.added.isEmpty { try directory.announce(plan.added.map { ($0.path, $0.file.content) }) }
        for isReplacing in [false, true] {
            for step in plan.added where step.isReplacing == isReplacing {
                if Task.isCancelled { throw .cancelled }
                try put(step)
            }
        }
        try directory.finish()
        return report
    }

    private mutating func put(_ step: TreePlan.Step) throws(FeedError) {
        var ways = placements
        let isPut: Bool
        do throws(FeedError) {
            let opened = try images.open(step.file.image)
            isPut = try directory.put(step.path, step.file.content, isReplacing: step.isReplacing) {
                path throws(FeedError) in
                while let way = ways.first {
                    // A link shares its time with the file in the cache, whose time must stay.
                    if try opened.place(at: path, as: way) { return way == .link ? nil : step.file.date }
                    ways.removeFirst()
                }
                throw .storage(.failed, "writing the tree failed: \(step.path) can't be made")
            }
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            report.missing += 1
            return
        }
        placements = ways
        // If a foreign file has appeared under the path, it stays, and the next run chooses another name.
        guard isPut else { return }
        report.added.append(step.path)
        report.files += 1
    }
}
