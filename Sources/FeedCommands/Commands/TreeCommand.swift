import FeedCore
import JSONText

struct TreeCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to folder: String) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let report = try await session.writeTree(of: cache, feeds, to: folder)
        // The reader of the output may be slow.
        await session.closeCaches()
        session.remark(TreeText(folder: folder, report: report).summary)
        if session.settings.json { try session.write(TreeText(folder: folder, report: report).json) }
        return .ok
    }
}

extension Session {
    /// Tells of each file with `--verbose`, and what would be done in a dry run.
    func writeTree(of cache: Cache, _ feeds: [ResourceURL], to folder: String) async throws(FeedError) -> TreeReport {
        let tree = FeedTree(cache: cache, writer: world.tree, now: now)
        let place = TreePlace(
            path: folder, cache: cachePath, template: settings.treeTemplate, lockWait: settings.lockWait,
            isDryRun: settings.dryRun)
        let report = try await tree.write(feeds, to: place)
        // Somebody may have changed them all.
        let told = settings.verbosity == .verbose ? report.changedByOthers[...] : report.changedByOthers.prefix(1)
        for file in told {
            notice("\(folder)/\(file): somebody has changed it; it is left alone from now on", "tree_left_alone")
        }
        if case let more = report.changedByOthers.count - told.count, more > 0 {
            notice(
                "\(folder): \(Phrases.count(more, "more file")) changed by somebody, and left alone", "tree_left_alone")
        }
        for (change, files) in [("remove", report.removed), ("add", report.added)] {
            for file in files {
                if settings.dryRun {
                    try plan("would \(change) \(folder)/\(file)")
                } else {
                    detail(
                        LogLine(
                            level: .debug, event: "tree_\(change)", text: "\(folder)/\(file): \(change)",
                            fields: [("file", .string("\(folder)/\(file)"))]))
                }
            }
        }
        return report
    }
}
