import FeedCore
import JSONText

/// Makes the lines of a sync for standard error.
enum SyncText {
    /// Returns one line for each distinct cause of these failures.
    static func lines(of failures: RepeatedFailures.NewFailures) -> [LogLine] {
        var feeds = Causes()
        for feed in failures.feeds {
            if let error = feed.ownFailure { feeds.add(feed.url, error, byReason: error.kind != .connectivity) }
        }
        var images = Causes()
        for failure in failures.images { images.add(failure.url, failure.error, byReason: false) }
        return feeds.lines(of: "feed") + images.lines(of: "image")
    }

    /// Returns the error that ended the run, unless the line of a feed already reports it.
    static func fatal(_ report: SyncReport) -> FeedError? {
        guard let fatal = report.fatal, !report.feeds.contains(where: { $0.error == fatal }) else { return nil }
        return fatal
    }

    /// Returns one line for each server whose saved feeds are used instead.
    static func substitutes(_ outcome: FeedReport.Outcome, _ report: SyncReport, now: Timestamp) -> [LogLine] {
        var servers: [[(url: ResourceURL, savedAt: Timestamp, error: FeedError)]] = []
        var numbers: [Causes.Key: Int] = [:]
        for feed in report.feeds where feed.outcome == outcome {
            guard let savedAt = feed.savedAt, let error = feed.error else { continue }
            let number = numbers.number(of: Causes.Key(error, byReason: false))
            if number == servers.count { servers.append([]) }
            servers[number].append((feed.url, savedAt, error))
        }
        return servers.compactMap { feeds in
            guard let (url, _, error) = feeds.first, let savedAt = feeds.map(\.savedAt).min() else { return nil }
            let age = Phrases.age(of: savedAt, at: now)
            let oldest = now < savedAt ? age : "at most \(age)"
            let fromHost = Causes.Key(error, byReason: false).fromHost
            let text =
                feeds.count == 1
                ? "\(url): \(outcome), using the feed saved \(age) (\(error.message))"
                : "\(Phrases.count(feeds.count, "feed"))\(fromHost): \(outcome), using feeds saved \(oldest) "
                    + "(\(error.message); first: \(url))"
            return LogLine(
                savedCopyOf: url, event: "feed_\(outcome)", count: feeds.count, savedAt: savedAt, error, text: text)
        }
    }

    static func summary(_ report: SyncReport, took duration: Duration) -> LogLine {
        let failedFeeds = report.feeds.count { $0.outcome == .failed }
        let waitingFeeds = report.feeds.count { $0.outcome == .waiting }
        let apart = [(failedFeeds, "failed"), (waitingFeeds, "waiting")].filter { $0.0 > 0 }
        let inBrackets = apart.map { "\($0) \($1)" }.joined(separator: ", ")
        let feeds = Phrases.count(report.feeds.count, "feed") + (apart.isEmpty ? "" : " (\(inBrackets))")
        let images = report.images
        var parts = ["\(images.cached) cached"]
        let size = images.downloaded > 0 ? " (\(Phrases.size(images.bytes)))" : ""
        parts.append("\(images.downloaded) downloaded\(size)")
        if images.skipped > 0 { parts.append("\(images.skipped) skipped") }
        if images.failed > 0 { parts.append("\(images.failed) failed") }
        let end = report.wasCancelled ? "stopped after" : "in"
        let all = "\(feeds), \(Phrases.count(images.total, "image")): \(parts.joined(separator: ", "))"
        return LogLine(
            summary: "\(all), \(end) \(Phrases.stopwatch(duration))", wasStopped: report.wasCancelled,
            [
                ("feeds", .integer(report.feeds.count)), ("feeds_failed", .integer(failedFeeds)),
                ("images", SyncJSON.images(images)), ("duration_seconds", .double(duration.inSeconds)),
            ])
    }

    /// Returns a line of `--dry-run`; nil for an event that would change nothing.
    static func plan(_ event: SyncEvent) -> String? {
        switch event {
        case .feed(let feed):
            switch feed.outcome {
            case .updated: "would save \(feed.url) (\(Phrases.count(feed.images, "image")))"
            case .unchanged: "would keep \(feed.url) (unchanged, \(Phrases.count(feed.images, "image")))"
            case .waiting where feed.failure == nil:
                "would not request \(feed.url) (waiting, \(Phrases.count(feed.images, "image")))"
            case .offline, .waiting, .failed: nil
            }
        case .feedStep(let url, .following(let pages)):
            "would request \(Phrases.count(pages, "page")) that \(url) links to"
        case .imageMissing(let url): "would download \(url)"
        case .imageToRevalidate(let url): "would request \(url) again"
        default: nil
        }
    }
}

/// Makes the summary of `sync --json`.
enum SyncJSON {
    /// Returns the object.
    ///
    /// `failure` is the error of the run itself, such as a full disk; without one, `error` is left out.
    static func text(_ report: SyncReport, _ failure: FeedError?, took duration: Duration) -> String {
        let images = report.images
        var members: [(String, JSONValue)] = [
            ("feeds", .array(report.feeds.map(feed))),
            ("images", Self.images(images)),
            ("failures", .array(images.failures.map(Self.failure))),
            ("duration_seconds", .double(duration.inSeconds)),
        ]
        if let failure { members.append(("error", error(failure))) }
        return JSONFormat.text(members)
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

/// Groups failures by cause, so that one line reports a hundred images of one unreachable host.
struct Causes {
    struct Key: Hashable {
        let cause: FailureCause
        /// The reason, if failures with different reasons are reported separately: two feeds of one host may be invalid
        /// in two ways.
        let reason: String?

        init(_ error: FeedError, byReason: Bool) {
            cause = FailureCause(error)
            reason = byReason ? error.reason : nil
        }

        /// The host, for a line that counts failures.
        var fromHost: String { cause.host.map { " from \($0)" } ?? "" }
    }

    private struct Cause {
        let key: Key
        let first: ResourceURL
        let error: FeedError
        var count = 0
        /// The number of failures whose reason differs from that of the first.
        var others = 0
        /// Whether all failures add the same words to their reason, such as the number of attempts.
        var sharesRest = true

        /// The message that applies to all failures except `others`.
        var message: String { sharesRest ? error.message : error.withoutRest }
    }

    private var causes: [Cause] = []
    private var numbers: [Key: Int] = [:]

    mutating func add(_ url: ResourceURL, _ error: FeedError, byReason: Bool) {
        let key = Key(error, byReason: byReason)
        let number = numbers.number(of: key)
        if number == causes.count { causes.append(Cause(key: key, first: url, error: error)) }
        causes[number].count += 1
        if error.rest != causes[number].error.rest { causes[number].sharesRest = false }
        if !Self.isAlike(error.reason, causes[number].error.reason) { causes[number].others += 1 }
    }

    /// Compares reasons without their digits, such as numbers of bytes or seconds.
    private static func isAlike(_ reason: String, _ other: String) -> Bool {
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return reason == other
            || reason.utf8.lazy.filter { !isDigit($0) }.elementsEqual(other.utf8.lazy.filter { !isDigit($0) })
    }

    /// Returns one line per cause: `URL: reason`, or `37 images from HOST: reason (first: URL)`.
    func lines(of noun: String) -> [LogLine] {
        causes.map { cause in
            let (first, error) = (cause.first, cause.error)
            let others = cause.others == 0 ? "" : "; \(cause.others) for other reasons: see -v"
            let more = cause.sharesRest || cause.others > 0 ? "" : "; -v shows each"
            let counted = Phrases.count(cause.count, noun) + cause.key.fromHost
            let many = "\(counted): \(cause.message) (first: \(first)\(others)\(more))"
            return LogLine(
                level: .error, event: "\(noun)_failed", text: cause.count == 1 ? "\(first): \(error.message)" : many,
                fields: [("url", .string(first.text)), ("count", .integer(cause.count))] + LogLine.fields(of: error))
        }
    }
}
