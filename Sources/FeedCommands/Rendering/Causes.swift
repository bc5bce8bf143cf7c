import FeedCore
import JSONText

/// Failures gathered by cause, so that a hundred images behind one dead host are told in one line.
struct Causes {
    struct Key: Hashable {
        let kind: FeedError.Kind
        let status: Int?
        let host: String?
        /// Set where each failure asks for something else: two feeds of one host are wrong in two ways.
        let message: String?
    }

    private var order: [Key] = []
    private var found: [Key: (first: ResourceURL, error: FeedError, count: Int)] = [:]

    mutating func add(_ url: ResourceURL, _ error: FeedError, apartByMessage: Bool) {
        let key = Key(
            kind: error.kind, status: error.status, host: error.host, message: apartByMessage ? error.message : nil)
        if found[key] == nil { order.append(key) }
        found[key, default: (url, error, 0)].count += 1
    }

    /// `URL: reason`, or `37 images from HOST: reason (first: URL)`.
    func lines(of noun: String) -> [LogLine] {
        order.compactMap { key in
            guard let (first, error, count) = found[key] else { return nil }
            let place = error.host.map { " from \($0)" } ?? ""
            let many = "\(Phrases.count(count, noun))\(place): \(error.message) (first: \(first))"
            return LogLine(
                level: .error, event: "\(noun)_failed", text: count == 1 ? "\(first): \(error.message)" : many,
                fields: [("url", .string(first.text)), ("count", .integer(count))] + LogLine.fields(of: error))
        }
    }
}
