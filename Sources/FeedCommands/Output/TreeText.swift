import FeedCore
import JSONText

/// The result of laying out a tree.
struct TreeText {
    let folder: String
    let report: TreeReport

    var json: String { JSONValue.object(figures).text() + "\n" }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(folder)), ("feeds", .integer(report.feeds)), ("files", .integer(report.files)),
            ("added", .integer(report.added.count)), ("removed", .integer(report.removed.count)),
            ("missing", .integer(report.missing)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// For a sync that renews a tree.
    var step: LogLine { LogLine(level: .debug, event: "tree", text: text, fields: figures) }

    private var text: String {
        let counts = [(report.added.count, "added"), (report.removed.count, "removed"), (report.missing, "missing")]
        let told = counts.filter { $0.0 > 0 }.map { ", \($0) \($1)" }.joined()
        return "\(folder): \(Phrases.count(report.files, "file")) of \(Phrases.count(report.feeds, "feed"))\(told)"
    }
}
