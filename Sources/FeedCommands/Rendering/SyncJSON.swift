import FeedCore
import JSONText

/// `sync --json`: the run's summary for a program.
enum SyncJSON {
    static func text(_ report: SyncReport, took duration: Duration) -> String {
        let images = report.images
        let value: JSONValue = [
            "feeds": .array(report.feeds.map(feed)),
            "images": Self.images(images),
            "failures": .array(images.failures.map(failure)),
            "duration_seconds": .double(duration.inSeconds),
        ]
        return value.text() + "\n"
    }

    static func images(_ images: ImagesReport) -> JSONValue {
        [
            "total": .integer(images.total),
            "cached": .integer(images.cached),
            "downloaded": .integer(images.downloaded),
            "skipped": .integer(images.skipped),
            "failed": .integer(images.failed),
            "bytes": .integer(Int(images.bytes)),
        ]
    }

    private static func feed(_ feed: FeedReport) -> JSONValue {
        [
            "url": .string(feed.url.text),
            "outcome": .string(feed.outcome.rawValue),
            "images": .integer(feed.images),
            "saved_at": JSONValue(feed.savedAt?.rfc3339),
            "error": feed.error.map {
                ["kind": .string($0.kind.name), "message": .string(Passwords.hidden(in: $0.message))]
            } ?? .null,
        ]
    }

    private static func failure(_ failure: ImagesReport.Failure) -> JSONValue {
        [
            "url": .string(failure.url.text),
            "kind": .string(failure.error.kind.name),
            "message": .string(Passwords.hidden(in: failure.error.message)),
        ]
    }
}
