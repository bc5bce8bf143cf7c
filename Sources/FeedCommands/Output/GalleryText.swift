import FeedCore
import JSONText

/// The result of writing a gallery.
struct GalleryText {
    let folder: String
    let report: GalleryReport

    var json: String { JSONValue.object(figures).text() + "\n" }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(folder)), ("feeds", .integer(report.feeds)), ("pages", .integer(report.pages)),
            ("images", .integer(report.images)), ("missing", .integer(report.missing)),
            ("thumbnails", .integer(report.thumbnails)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// For a sync that renews a gallery.
    var step: LogLine { LogLine(level: .debug, event: "gallery", text: text, fields: figures) }

    private var text: String {
        let missing = report.missing > 0 ? ", \(report.missing) missing" : ""
        let pages = "\(Phrases.count(report.feeds, "feed")) on \(Phrases.count(report.pages, "page"))"
        return "\(folder): \(pages), \(Phrases.count(report.images, "image"))\(missing)"
    }
}
