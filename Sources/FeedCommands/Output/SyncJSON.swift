import FeedCore
import JSONText

/// `sync --json`: the run's summary for a program.
enum SyncJSON {
    /// `failure` is that of the run itself, such as a full disk; without one, nothing is said of it.
    static func text(_ report: SyncReport, _ failure: FeedError?, took duration: Duration) -> String {
        let images = report.images
        var members: [(String, JSONValue)] = [
            ("feeds", .array(report.feeds.map(feed))),
            ("images", Self.images(images)),
            ("failures", .array(images.failures.map(Self.failure))),
            ("duration_seconds", .double(duration.inSeconds)),
        ]
        if let failure { members.append(("error", error(failure))) }
        return JSONValue.object(members).text() + "\n"
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
            "kept": .integer(feed.kept),
            "saved_at": JSONValue(feed.savedAt?.rfc3339),
            "notes": .array(feed.notes.map { .string(Passwords.hidden(in: $0)) }),
            "error": feed.error.map(error) ?? .null,
        ]
    }

    private static func error(_ error: FeedError) -> JSONValue {
        ["kind": .string(error.kind.name), "message": .string(Passwords.hidden(in: error.message))]
    }

    private static func failure(_ failure: ImagesReport.Failure) -> JSONValue {
        [
            "url": .string(failure.url.text),
            "kind": .string(failure.error.kind.name),
            "message": .string(Passwords.hidden(in: failure.error.message)),
        ]
    }
}
