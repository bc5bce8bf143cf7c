import FeedCore
import JSONText

/// What a run did to a gallery, for people and as JSON.
struct GalleryText {
    let directory: String
    let report: GalleryReport

    var json: String { JSONValue.object(figures).text() + "\n" }

    private var figures: [(String, JSONValue)] {
        [
            ("dir", .string(directory)), ("feeds", .integer(report.feeds)), ("pages", .integer(report.pages)),
            ("images", .integer(report.images)), ("missing", .integer(report.missing)),
            ("thumbnails", .integer(report.thumbnails)),
        ]
    }

    var summary: LogLine { LogLine(summary: text, figures) }

    /// The step of a sync that brings a gallery up to date.
    var step: LogLine { LogLine(level: .debug, event: "gallery", text: text, fields: figures) }

    private var text: String {
        let missing = report.missing > 0 ? ", \(report.missing) missing" : ""
        let pages = "\(Phrases.count(report.feeds, "feed")) on \(Phrases.count(report.pages, "page"))"
        return "\(directory): \(pages), \(Phrases.count(report.images, "image"))\(missing)"
    }
}
