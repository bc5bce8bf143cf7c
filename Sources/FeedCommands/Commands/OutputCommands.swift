import FeedCore
import JSONText

/// Writes the saved feeds as a static web site.
struct GalleryCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to directory: String) async throws(FeedError) -> ExitCode {
        let report = try await session.withExistingCache { cache throws(FeedError) in
            try await session.gallery(of: cache).write(feeds, to: directory, replacesForeign: session.settings.force)
        }
        let text = GalleryText(directory: directory, report: report)
        session.remark(text.summary)
        if session.settings.json { try session.write(text.json) }
        return .ok
    }
}

extension Session {
    func gallery(of cache: Cache) -> GalleryOutput {
        let gallery = FeedGallery(
            cache: cache, writer: world.gallery, maxAge: { [settings] in settings.of($0).maxAge }, now: now)
        return GalleryOutput(session: self, gallery: gallery)
    }

    func outputTarget(_ directory: String) -> OutputTarget {
        OutputTarget(path: directory, cache: cachePath, lockWait: settings.lockWait)
    }
}

/// Writes a gallery, and reports the images of the cache that could not be read.
struct GalleryOutput {
    let session: Session
    let gallery: FeedGallery

    /// Writes the gallery of `feeds`.
    ///
    /// `used` is the part of `--max-time` that has already passed.
    func write(
        _ feeds: [ResourceURL], to directory: String, replacesForeign: Bool = false, used: Duration = .zero
    ) async throws(FeedError) -> GalleryReport {
        let options = GalleryOptions(thumbnails: session.settings.thumbnails, replacesForeign: replacesForeign)
        let report = try await session.withinMaxTime("the gallery \(directory)", used: used) {
            [session, gallery] () async throws(FeedError) in
            try await session.showingProgress("thumbnails", of: "image") { progress throws(FeedError) in
                try await gallery.write(feeds, to: session.outputTarget(directory), options, progress: progress)
            }
        }
        if let failure = report.thumbnailFailure { session.report(LogLine(failure)) }
        // One failing disk causes many failures, so only the first is printed without `--verbose`.
        let shown = session.settings.verbosity == .verbose ? report.unreadable[...] : report.unreadable.prefix(1)
        for problem in shown { session.report(LogLine(problem)) }
        let rest = report.unreadable.count - shown.count
        if rest > 0 {
            session.report("\(Phrases.count(rest, "more image")) of the cache can't be read; -v shows each")
        }
        return report
    }
}

/// Lays the images out as files with readable names.
struct TreeCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to directory: String) async throws(FeedError) -> ExitCode {
        let report = try await session.withExistingCache { cache throws(FeedError) in
            try await session.writeTree(of: cache, feeds, to: directory)
        }
        let text = TreeText(directory: directory, report: report)
        session.remark(text.summary)
        if session.settings.json { try session.write(text.json) }
        return .ok
    }
}

extension Session {
    /// Writes a tree.
    ///
    /// Reports each file with `--verbose`, and the plan in a dry run. `used` is the part of `--max-time` that has
    /// already passed.
    func writeTree(
        of cache: Cache, _ feeds: [ResourceURL], to directory: String, used: Duration = .zero
    ) async throws(FeedError) -> TreeReport {
        let tree = FeedTree(cache: cache, writer: world.tree, now: now)
        let options = TreeOptions(
            template: settings.treeTemplate, newest: settings.newest, writesSidecars: settings.xmp,
            laysOutDeleted: settings.again, isDryRun: settings.dryRun)
        let target = outputTarget(directory)
        let report = try await withinMaxTime("the tree \(directory)", used: used) { () async throws(FeedError) in
            try await tree.write(feeds, to: target, options)
        }
        // Many files may have been changed, so only the first is printed without `--verbose`.
        let shown = settings.verbosity == .verbose ? report.changedByOthers[...] : report.changedByOthers.prefix(1)
        for file in shown {
            notice(
                "\(directory)/\(file): was changed since, so feedsync leaves it as it is from now on", "tree_left_alone"
            )
        }
        if case let more = report.changedByOthers.count - shown.count, more > 0 {
            notice(
                "\(directory): \(Phrases.count(more, "more file")) changed since, and left as they are",
                "tree_left_alone")
        }
        try tellChanges(report, in: directory)
        return report
    }

    /// Reports each change of a tree with `--verbose`, and the plan in a dry run.
    private func tellChanges(_ report: TreeReport, in directory: String) throws(FeedError) {
        let renamed = report.renamed.map { ("rename", $0.from, " to \(directory)/\($0.to)") }
        let changes = report.removed.map { ("remove", $0, "") } + renamed + report.added.map { ("add", $0, "") }
        for (change, file, target) in changes {
            if settings.dryRun {
                try plan("would \(change) \(directory)/\(file)\(target)")
            } else {
                detail(
                    LogLine(
                        level: .debug, event: "tree_\(change)", text: "\(directory)/\(file): \(change)\(target)",
                        fields: [("file", .string("\(directory)/\(file)"))]))
            }
        }
    }
}
