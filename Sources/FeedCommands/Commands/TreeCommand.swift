import FeedCore
import JSONText

/// Lays the images out as files with readable names.
struct TreeCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to directory: String) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let text = TreeText(
            directory: directory, report: try await session.writeTree(of: cache, feeds, to: directory))
        // The cache is closed first, because a reader of the output may be slow.
        await session.closeCaches()
        session.remark(text.summary)
        if session.settings.json { try session.write(text.json) }
        return .ok
    }
}

extension Session {
    /// Writes a tree. Reports each file with `--verbose`, and the plan in a dry run. `used` is the part of `--max-time`
    /// that has already passed.
    func writeTree(
        of cache: Cache, _ feeds: [ResourceURL], to directory: String, used: Duration = .zero
    ) async throws(FeedError) -> TreeReport {
        let tree = FeedTree(cache: cache, writer: world.tree, now: now)
        let options = TreeOptions(template: settings.treeTemplate, isDryRun: settings.dryRun)
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
        for (change, files) in [("remove", report.removed), ("add", report.added)] {
            for file in files {
                if settings.dryRun {
                    try plan("would \(change) \(directory)/\(file)")
                } else {
                    detail(
                        LogLine(
                            level: .debug, event: "tree_\(change)", text: "\(directory)/\(file): \(change)",
                            fields: [("file", .string("\(directory)/\(file)"))]))
                }
            }
        }
        return report
    }
}
