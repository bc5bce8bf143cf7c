import FeedCore
import JSONText

/// One message on standard error.
struct LogLine {
    enum Level: String { case error, warning, info, debug }

    let level: Level
    /// The name of the event, for programs.
    let event: String
    /// The message for people.
    let text: String
    var fields: [(String, JSONValue)] = []
}

extension LogLine {
    /// Reports an error that ends a command.
    init(_ error: any Error) {
        switch error {
        case let error as FeedError: self.init(error)
        case let error as UsageError: self.init(error)
        default: self.init(level: .error, event: "error", text: "\(error)")
        }
    }

    /// Reports a step, for `--verbose`.
    init(step event: String, of url: ResourceURL, _ text: String, _ fields: [(String, JSONValue)] = []) {
        self.init(level: .debug, event: event, text: "\(url): \(text)", fields: [("url", .string(url.text))] + fields)
    }

    /// Reports a deleted feed.
    init(deletionOf url: ResourceURL, _ text: String) {
        self.init(
            level: .info, event: "feed_deleted", text: "\(url): \(text)", fields: [("url", .string(url.text))])
    }

    /// Reports a change of an image in a feed.
    init(change event: String, of url: ResourceURL, in feed: ResourceURL, _ text: String) {
        self.init(
            level: .info, event: event, text: text, fields: [("url", .string(url.text)), ("feed", .string(feed.text))])
    }

    /// Reports one failed feed or image.
    init(failureOf url: ResourceURL, event: String, _ error: FeedError) {
        self.init(
            level: .error, event: event, text: "\(url): \(error.message)",
            fields: [("url", .string(url.text)), ("count", .integer(1))] + Self.fields(of: error))
    }

    /// Reports a failed attempt that is followed by another.
    init(retryOf url: ResourceURL, after error: FeedError, in pause: Duration) {
        self.init(
            step: "retry", of: url, "\(error.withoutHint); next try in \(Phrases.stopwatch(pause))",
            [("pause_seconds", .double(pause.inSeconds))] + Self.fields(of: error))
    }

    /// Sums up a command with its figures.
    init(summary text: String, wasStopped: Bool = false, _ figures: [(String, JSONValue)]) {
        self.init(level: .info, event: wasStopped ? "stopped" : "summary", text: text, fields: figures)
    }

    init(_ error: FeedError) {
        self.init(level: .error, event: "error", text: error.message, fields: Self.fields(of: error))
    }

    init(_ error: UsageError) {
        self.init(
            level: .error, event: error.exitCode == .usage ? "usage" : "configuration",
            text: error.message + (error.hint.map { " (\($0))" } ?? ""),
            fields: error.hint.map { [("hint", .string($0))] } ?? [])
    }

    /// Reports feeds whose saved copies are used.
    ///
    /// `url` is the first of them, and `savedAt` the oldest time.
    init(
        savedCopyOf url: ResourceURL, event: String = "feed_offline", count: Int = 1, savedAt: Timestamp,
        _ cause: FeedError, text: String
    ) {
        self.init(
            level: .warning, event: event, text: text,
            fields: [
                ("url", .string(url.text)), ("count", .integer(count)), ("saved_at", .string(savedAt.rfc3339)),
            ] + Self.fields(of: cause))
    }

    /// Reports once that a feed has become empty, which may be a mistake of its server.
    init(emptied url: ResourceURL) {
        self.init(
            level: .warning, event: "feed_emptied", text: "\(url): has become empty; it had images before",
            fields: [("url", .string(url.text))])
    }

    /// Reports once that a feed has moved.
    init(moved url: ResourceURL, to newURL: ResourceURL) {
        self.init(
            level: .warning, event: "feed_moved", text: "\(url): has moved permanently to \(newURL)",
            fields: [("url", .string(url.text)), ("moved_to", .string(newURL.text))])
    }

    static func fields(of error: FeedError) -> [(String, JSONValue)] {
        var fields: [(String, JSONValue)] = [("kind", .string(error.kind.name))]
        if let status = error.status { fields.append(("status", .integer(status))) }
        if let host = error.host { fields.append(("host", .string(host))) }
        return fields
    }
}

/// Writes messages to standard error, as text for people or as JSON lines for programs.
struct Log: Sendable {
    let output: any Output
    let format: Settings.LogFormat
    let now: @Sendable () -> Timestamp

    func write(_ line: LogLine) {
        switch format {
        case .text: output.say("feedsync: \(TerminalText.escape(Passwords.hidden(in: line.text)))")
        case .json: output.say(json(line))
        }
    }

    private func json(_ line: LogLine) -> String {
        let value: JSONValue = [
            "time": .string(now().rfc3339), "level": .string(line.level.rawValue), "event": .string(line.event),
            "message": .string(Passwords.hidden(in: line.text)), "fields": .object(line.fields),
        ]
        return value.text()
    }
}

extension Settings.LogFormat {
    /// Finds the log format without parsing the options, because they contain a mistake.
    static func guessed(_ arguments: [String], _ environment: [String: String]) -> Settings.LogFormat {
        let options = arguments.prefix { $0 != "--" }
        var format = environment["FEEDSYNC_LOG_FORMAT"]
        for (option, next) in zip(options, options.dropFirst() + [""]) {
            if option == "--log-format" { format = next }
            if option.hasPrefix("--log-format=") { format = String(option.dropFirst("--log-format=".count)) }
        }
        return format == "json" ? .json : .text
    }
}
