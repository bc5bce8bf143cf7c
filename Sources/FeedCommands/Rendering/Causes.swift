import FeedCore
import JSONText

/// Failures gathered by cause, so that a hundred images behind one dead host are told in one line.
struct Causes {
    struct Key: Hashable {
        let kind: FeedError.Kind
        let status: Int?
        /// With its port: two ports are two servers.
        let host: String?
        /// Set where each failure asks for something else: two feeds of one host are wrong in two ways.
        let reason: String?

        init(_ url: ResourceURL, _ error: FeedError, apartByReason: Bool) {
            kind = error.kind
            status = error.status
            host = error.host == url.host ? url.hostAndPort : error.host
            reason = apartByReason ? error.reason : nil
        }
    }

    private struct Found {
        let first: ResourceURL
        let error: FeedError
        var count = 0
        /// Of those, in other words than the first.
        var others = 0
    }

    private var order: [Key] = []
    private var found: [Key: Found] = [:]

    mutating func add(_ url: ResourceURL, _ error: FeedError, apartByReason: Bool) {
        let key = Key(url, error, apartByReason: apartByReason)
        if found[key] == nil { order.append(key) }
        var cause = found[key] ?? Found(first: url, error: error)
        cause.count += 1
        if !Self.isAlike(error.reason, cause.error.reason) { cause.others += 1 }
        found[key] = cause
    }

    /// But for numbers: how many bytes had come, after how many seconds.
    private static func isAlike(_ reason: String, _ other: String) -> Bool {
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return reason == other
            || reason.utf8.lazy.filter { !isDigit($0) }.elementsEqual(other.utf8.lazy.filter { !isDigit($0) })
    }

    /// `URL: reason`, or `37 images from HOST: reason (first: URL)`.
    func lines(of noun: String) -> [LogLine] {
        order.compactMap { key in
            guard let cause = found[key] else { return nil }
            let (first, error) = (cause.first, cause.error)
            let place = key.host.map { " from \($0)" } ?? ""
            let others = cause.others == 0 ? "" : "; \(cause.others) for other reasons, which -v tells"
            let many = "\(Phrases.count(cause.count, noun))\(place): \(error.message) (first: \(first)\(others))"
            return LogLine(
                level: .error, event: "\(noun)_failed", text: cause.count == 1 ? "\(first): \(error.message)" : many,
                fields: [("url", .string(first.text)), ("count", .integer(cause.count))] + LogLine.fields(of: error))
        }
    }
}
