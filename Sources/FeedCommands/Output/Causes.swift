import FeedCore
import JSONText

/// Groups failures by cause, so that one line reports a hundred images of one unreachable host.
struct Causes {
    struct Key: Hashable {
        let kind: FeedError.Kind
        let status: Int?
        let host: String?
        /// The reason, if failures with different reasons are reported separately: two feeds of one host may be invalid
        /// in two ways.
        let reason: String?

        init(_ error: FeedError, byReason: Bool) {
            kind = error.kind
            status = error.status
            host = error.host
            reason = byReason ? error.reason : nil
        }

        /// The host, for a line that counts failures.
        var fromHost: String { host.map { " from \($0)" } ?? "" }
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
