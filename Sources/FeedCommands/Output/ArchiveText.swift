import FeedCore
import JSONText

/// Makes the lines of export and import for standard error.
enum ArchiveText {
    static func summary(_ report: ExportReport, file: String) -> LogLine {
        let content = "\(Phrases.count(report.feeds, "feed")) and \(Phrases.count(report.images, "image"))"
        let target = file == "-" ? "standard output" : file
        return LogLine(
            summary: "exported \(content), \(Phrases.size(report.bytes)), to \(target)",
            [
                ("feeds", .integer(report.feeds)), ("images", .integer(report.images)),
                ("bytes", .integer(Int(report.bytes))),
            ])
    }

    /// Sums up an import.
    ///
    /// `file` is given if there are several archives.
    static func summary(_ report: ImportReport, file: String?) -> LogLine {
        let outcomes: [ImportReport.Outcome] = [.added, .replaced, .kept]
        let counts = outcomes.map { outcome in
            (name: outcome.rawValue, count: report.feeds.count { $0.outcome == outcome })
        }
        let outcomeCounts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        let feeds = ([Phrases.count(report.feeds.count, "feed")] + outcomeCounts).joined(separator: ", ")
        return LogLine(
            summary:
                "\(file.map { "\($0): " } ?? "")imported \(feeds); data of \(Phrases.count(report.images, "image")) added",
            (file.map { [("file", .string($0))] } ?? []) + [("feeds", .integer(report.feeds.count))]
                + counts.map { ("feeds_\($0.name)", .integer($0.count)) }
                + [("images_added", .integer(report.images))])
    }

    /// Says what the user can do about the feeds that a plain import has added, and about what it has left out.
    static func hints(_ reports: [ImportReport]) -> [LogLine] {
        let feeds = reports.flatMap(\.feeds)
        let added = feeds.filter { $0.outcome == .added }.map(\.url)
        var seen: Set<ResourceURL> = []
        let kept = feeds.filter { $0.outcome == .kept && seen.insert($0.url).inserted }.map(\.url)
        var lines: [LogLine] = []
        if !added.isEmpty {
            let named = added.prefix(shownFeeds).map { ShellWord.quoted($0.text) }.joined(separator: " ")
            let command = "`feedsync \(named)`\(added.count > shownFeeds ? " and so on" : "")"
            let count = Phrases.count(added.count, "feed")
            let text = "added \(count); no run requests a feed until you name it: \(command)"
            lines.append(hint("import_unnamed", text, added.count))
        }
        if !kept.isEmpty {
            let others = kept.count - shownFeeds
            let shown = kept.prefix(shownFeeds).map(\.text) + (others > 0 ? [Phrases.count(others, "more feed")] : [])
            let text = "left as they are: \(Phrases.list(shown, "and")); \(restore) merges archives of your own"
            lines.append(hint("import_held_back", text, kept.count))
        } else if feeds.contains(where: { $0.hasSettings || $0.url.isLocal }) {
            let text = "took over no names and settings; \(restore) takes those of your own archives over"
            lines.append(hint("import_held_back", text, feeds.count))
        }
        return lines
    }

    private static let restore = "`feedsync import --restore`"
    /// The number of feeds that a line names.
    private static let shownFeeds = 3

    private static func hint(_ event: String, _ text: String, _ feeds: Int) -> LogLine {
        LogLine(level: .warning, event: event, text: text, fields: [("feeds", .integer(feeds))])
    }

    /// Says that a thin archive needs older archives.
    static func leftOut(_ result: ImportResult) -> LogLine {
        let count = result.report.leftOut
        return LogLine(
            level: .warning, event: "import_incomplete",
            text:
                "\(result.file): is a thin archive without \(Phrases.count(count, "image")) that the cache lacks; restore "
                + "the older archives first, and then this one again",
            fields: [("file", .string(result.file)), ("images", .integer(count))])
    }

    static func step(_ feed: ImportReport.ImportedFeed, restores: Bool) -> LogLine {
        let text =
            switch feed.outcome {
            case .added, .replaced: feed.outcome.rawValue
            case .kept where restores:
                "kept, because the archive's copy is not later (see --force)"
            case .kept: "kept as it is (see --restore)"
            }
        return LogLine(step: "feed_\(feed.outcome.rawValue)", of: feed.url, text)
    }
}

/// The result of importing one archive.
struct ImportResult {
    let file: String
    private(set) var report = ImportReport()
    private(set) var error: FeedError?

    init(file: String, _ result: Result<ImportReport, FeedError>) {
        self.file = file
        switch result {
        case .success(let report): self.report = report
        case .failure(let error): self.error = error
        }
    }
}

/// Makes the JSON of export and import.
extension ArchiveText {
    /// `size` is the size of the file.
    static func json(_ report: ExportReport, file: String, size: Int64) -> String {
        JSONFormat.text([
            ("file", .string(file)), ("feeds", .integer(report.feeds)), ("images", .integer(report.images)),
            ("bytes", .integer(Int(size))),
        ])
    }

    static func json(_ results: [ImportResult]) -> String {
        JSONFormat.text([("archives", .array(results.map(json)))])
    }

    private static func json(_ result: ImportResult) -> JSONValue {
        func count(_ outcome: ImportReport.Outcome) -> JSONValue {
            .integer(result.report.feeds.count { $0.outcome == outcome })
        }
        return [
            "file": .string(result.file), "feeds_added": count(.added), "feeds_replaced": count(.replaced),
            "feeds_kept": count(.kept), "images_added": .integer(result.report.images),
            "images_missing": .integer(result.report.missing),
            "error": result.error.map { error in
                ["kind": .string(error.kind.name), "message": .string(Passwords.hidden(in: error.message))]
            } ?? .null,
        ]
    }
}
