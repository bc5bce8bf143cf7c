import FeedCore
import JSONText

/// What was written of a gallery.
struct GalleryText {
    let folder: String
    let report: GalleryReport

    var json: String {
        let value: JSONValue = [
            "dir": .string(folder),
            "feeds": .integer(report.feeds),
            "pages": .integer(report.pages),
            "images": .integer(report.images),
            "missing": .integer(report.missing),
        ]
        return value.text() + "\n"
    }

    var summary: String {
        let missing = report.missing > 0 ? ", \(report.missing) missing" : ""
        return "\(folder): \(Phrases.count(report.feeds, "feed")) on \(Phrases.count(report.pages, "page")), "
            + "\(Phrases.count(report.images, "image"))\(missing)"
    }
}
