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
        var missing: Set<ResourceURL.Key> = []
        var isEmpty = true
        for feed in feeds {
            if Task.isCancelled { throw .cancelled }
            for image in feed.images {
                if image.stored == nil { missing.insert(image.image.url.key) } else { isEmpty = false }
            }
        }
        var report = TreeReport(feeds: feeds.count)
        report.missing = missing.count
        // A missing cache has neither own files to delete nor images to write.
        let isReading = options.isDryRun || isEmpty && access(target.cache, F_OK) != 0
        let wait = LockWait(limit: target.lockWait) { try await Task.sleep(for: $0) }
        return try await wait.retrying { () throws(FeedError) in
            let directory = try OutputDirectory(target, layout: "tree", isReading: isReading)
            var update = TreeUpdate(feeds: feeds, directory: directory, images: images, report: report)
            return try update.write(options)
        }
    }
}

/// Brings a tree up to date: it renames files, makes new ones, then replaces changed ones, and deletes the others last.
private struct TreeUpdate {
    let feeds: [GalleryFeed]
    let directory: OutputDirectory
    let images: any ImageFiles
    var report: TreeReport
    /// The ways to make a file of an image, without those that turned out to be impossible here.
    private var placements: [ImagePlacement] = ImagePlacement.allCases
    /// The positions of the images whose bytes can't be read.
    private var unreadable: Set<Int> = []

    init(feeds: [GalleryFeed], directory: OutputDirectory, images: any ImageFiles, report: TreeReport) {
        self.feeds = feeds
        self.directory = directory
        self.images = images
        self.report = report
    }

    mutating func write(_ options: TreeOptions) throws(FeedError) -> TreeReport {
        let plan = try TreePlan(feeds, options, in: directory)
        report.changedByOthers = plan.changedByOthers
        report.removed = plan.removed
        report.files = plan.kept
        guard !options.isDryRun else {
            report.renamed = plan.moves.map { TreeRename(from: $0.from, to: $0.to) }
            report.added = (plan.added + plan.sidecars).map(\.path)
            report.files += report.renamed.count + report.added.count
            return report
        }
        try announce(plan)
        try move(plan.moves)
        for (path, date) in plan.redated { try directory.setDate(date, ofFileAt: path) }
        for isReplacing in [false, true] {
            for step in plan.added where step.isReplacing == isReplacing { try put(step, plan.files[step.file]) }
            for step in plan.sidecars where step.isReplacing == isReplacing && !unreadable.contains(step.file) {
                try putSidecar(step, plan.files[step.file])
            }
        }
        try directory.finish()
        return report
    }

    /// Saves the plan, so that the next run completes it if this run is killed.
    private func announce(_ plan: TreePlan) throws(FeedError) {
        directory.remember(plan.memory)
        let planned = (plan.added + plan.sidecars).map { ($0.path, $0.content) }
        guard !planned.isEmpty || !plan.moves.isEmpty || !plan.removed.isEmpty else { return }
        for path in plan.removed { directory.expectChange(of: path) }
        for move in plan.moves { try directory.expectMove(of: move.from, to: move.to) }
        try directory.announce(planned)
        // Only a completed rename makes the file at its new path an own file.
        for move in plan.moves where !move.isReplacing { directory.forgetMove(to: move.to) }
    }

    private mutating func move(_ moves: [TreeMove]) throws(FeedError) {
        var aside: OwnFile?
        for step in MoveOrder(moves).steps {
            if Task.isCancelled { throw .cancelled }
            switch step {
            case .move(let index):
                let move = moves[index]
                let isMoved = try directory.move(
                    move.from, to: move.to, isReplacing: move.isReplacing, move.purpose)
                try note(move, isMoved)
            case .setAside(let index): aside = try directory.setAside(moves[index].from)
            case .bringBack(let index):
                let move = moves[index]
                let isMoved = try aside.map { own throws(FeedError) in
                    try directory.bringBack(own, from: move.from, to: move.to, move.purpose)
                }
                try note(move, isMoved == true)
            }
        }
    }

    /// Reports a rename, or keeps the file where it is if something foreign prevented the rename.
    private mutating func note(_ move: TreeMove, _ isMoved: Bool) throws(FeedError) {
        if isMoved {
            report.renamed.append(TreeRename(from: move.from, to: move.to))
        } else if case .own(let own) = try directory.state(of: move.from) {
            directory.keep(own, at: move.from, move.purpose)
        } else {
            return
        }
        report.files += 1
    }

    private mutating func put(_ step: TreePlan.NewFile, _ file: TreeFile) throws(FeedError) {
        guard let stored = feeds[file.feed].images[file.position].stored else { return }
        if Task.isCancelled { throw .cancelled }
        var ways = placements
        let isPut: Bool
        do throws(FeedError) {
            let opened = try images.open(stored)
            isPut = try directory.put(step.path, step.content, isReplacing: step.isReplacing, file.purpose) {
                path throws(FeedError) in
                while let way = ways.first {
                    // A link shares its time with the file in the cache, whose time must stay.
                    if try opened.place(at: path, as: way) { return way == .link ? nil : file.date }
                    ways.removeFirst()
                }
                throw .storage(.failed, "writing the tree failed: \(step.path) can't be made")
            }
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            report.missing += 1
            unreadable.insert(step.file)
            return
        }
        placements = ways
        note(step, isPut)
    }

    private mutating func putSidecar(_ step: TreePlan.NewFile, _ file: TreeFile) throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
        let sidecar = Sidecar(of: feeds[file.feed].images[file.position].image, date: file.date)
        note(
            step,
            try directory.put(step.path, sidecar.bytes, step.content, isReplacing: step.isReplacing, .sidecar))
    }

    private mutating func note(_ step: TreePlan.NewFile, _ isPut: Bool) {
        // If a foreign file has appeared under the path, it stays, and the next run chooses another name.
        guard isPut else { return }
        report.added.append(step.path)
        report.files += 1
    }
}
