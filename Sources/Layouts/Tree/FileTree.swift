package import FeedCore
internal import Glibc
internal import SystemFiles

/// Lays images out as files in a directory that people may use as they like.
///
/// It works on a thread of its own, because it waits for the disk all the time.
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
        // Without a cache, nothing was ever made and nothing is to be made.
        let isReading = options.isDryRun || wanted.isEmpty && access(target.cache, F_OK) != 0
        let wait = LockWait(limit: target.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () throws(FeedError) in
            let directory = try OutputDirectory(target, what: "tree", isReading: isReading)
            var run = TreeRun(directory: directory, images: images, report: report)
            return try run.write(wanted, isDryRun: options.isDryRun)
        }
    }
}

/// One run that brings a tree up to date: it makes new files, then replaces changed ones, and deletes others last.
private struct TreeRun {
    let directory: OutputDirectory
    let images: any ImageFiles
    var report: TreeReport
    /// The ways in which images become files here, without those that turned out to be impossible.
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
                    // The file in the cache keeps its time.
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
        // Somebody who put a file there meanwhile keeps the name; the next run finds another.
        guard isPut else { return }
        report.added.append(step.path)
        report.files += 1
    }
}
