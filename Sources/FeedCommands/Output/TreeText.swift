import FeedCore
import JSONText

/// What a run did to a tree, for people and as JSON.
struct TreeText {
    let directory: String
    let report: TreeReport

    var json: String { JSONValue.object(figures).text() + "\n" }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(directory)), ("feeds", .integer(report.feeds)), ("files", .integer(report.files)),
            ("added", .integer(report.added.count)), ("removed", .integer(report.removed.count)),
            ("missing", .integer(report.missing)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// The step of a sync that brings a tree up to date.
    var step: LogLine { LogLine(level: .debug, event: "tree", text: text, fields: figures) }

    private var text: String {
        let counts = [(report.added.count, "added"), (report.removed.count, "removed"), (report.missing, "missing")]
        let told = counts.filter { $0.0 > 0 }.map { ", \($0) \($1)" }.joined()
        return "\(directory): \(Phrases.count(report.files, "file")) of \(Phrases.count(report.feeds, "feed"))\(told)"
    }
}
