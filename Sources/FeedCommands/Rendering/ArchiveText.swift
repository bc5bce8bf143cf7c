import FeedCore

/// What export and import say on standard error.
enum ArchiveText {
    static func summary(_ report: ExportReport, file: String) -> String {
        let content = "\(Phrases.count(report.feeds, "feed")) and \(Phrases.count(report.images, "image"))"
        let place = file == "-" ? "standard output" : file
        return "exported \(content), \(Phrases.size(report.bytes)), to \(place)"
    }

    static func summary(_ report: ImportReport) -> String {
        let outcomes: [ImportReport.Outcome] = [.added, .replaced, .kept]
        let counts = outcomes.compactMap { outcome -> String? in
            let count = report.feeds.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(outcome.rawValue)" : nil
        }
        let feeds = ([Phrases.count(report.feeds.count, "feed")] + counts).joined(separator: ", ")
        return "imported \(feeds); data of \(Phrases.count(report.images, "image")) added"
    }

    static func step(_ feed: ImportReport.ImportedFeed) -> LogLine {
        let text =
            switch feed.outcome {
            case .added, .replaced: feed.outcome.rawValue
            case .kept: "kept, as it was saved no earlier than the archive's (see --force)"
            }
        return LogLine(step: "feed_\(feed.outcome.rawValue)", of: feed.url, text)
    }
}
