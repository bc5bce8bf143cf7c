import FeedCore
import JSONText

/// Reports a written gallery as text and as JSON.
struct GalleryText {
    let directory: String
    let report: GalleryReport

    var json: String { JSONFormat.text(figures) }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(directory)), ("feeds", .integer(report.feeds)), ("pages", .integer(report.pages)),
            ("images", .integer(report.images)), ("missing", .integer(report.missing)),
            ("thumbnails", .integer(report.thumbnails)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// The step of a sync that updates a gallery.
    var step: LogLine { LogLine(level: .debug, event: "gallery", text: text, fields: figures) }

    private var text: String {
        let missing = report.missing > 0 ? ", \(report.missing) missing" : ""
        let pages = "\(Phrases.count(report.feeds, "feed")) on \(Phrases.count(report.pages, "page"))"
        return "\(directory): \(pages), \(Phrases.count(report.images, "image"))\(missing)"
    }
}

/// Reports a written tree as text and as JSON.
struct TreeText {
    let directory: String
    let report: TreeReport

    var json: String { JSONFormat.text(figures) }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(directory)), ("feeds", .integer(report.feeds)), ("files", .integer(report.files)),
            ("added", .integer(report.added.count)), ("renamed", .integer(report.renamed.count)),
            ("removed", .integer(report.removed.count)), ("missing", .integer(report.missing)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// The step of a sync that updates a tree.
    var step: LogLine { LogLine(level: .debug, event: "tree", text: text, fields: figures) }

    private var text: String {
        let counts = [
            (report.added.count, "added"), (report.renamed.count, "renamed"), (report.removed.count, "removed"),
            (report.missing, "missing"),
        ]
        let changes = counts.filter { $0.0 > 0 }.map { ", \($0) \($1)" }.joined()
        return
            "\(directory): \(Phrases.count(report.files, "file")) of \(Phrases.count(report.feeds, "feed"))\(changes)"
    }
}
