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

    /// Says what an import without `--restore` leaves out; nil if it leaves out nothing.
    static func restoreHint(_ report: ImportReport) -> LogLine? {
        let held = report.feeds.filter { $0.hasSettings || $0.outcome == .kept || !$0.url.isRemote }
        guard let first = held.first else { return nil }
        let others = held.count == 1 ? "" : " (and \(Phrases.count(held.count - 1, "more feed")))"
        return LogLine(
            level: .warning, event: "import_held_back",
            text:
                "\(first.url)\(others): an archive sets no --keep, and its feeds at private addresses or of files are "
                + "not requested; if the archive is your own, import it with --restore, else name a feed with "
                + "`feedsync \(first.url)`",
            fields: [("feeds", .integer(held.count))])
    }

    static func step(_ feed: ImportReport.ImportedFeed) -> LogLine {
        let text =
            switch feed.outcome {
            case .added, .replaced: feed.outcome.rawValue
            case .kept: "kept, because the archive's copy is not later or has a time in the future (see --force)"
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
