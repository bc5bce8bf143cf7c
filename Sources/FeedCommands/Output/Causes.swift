import FeedCore
import JSONText

/// Failures gathered by cause, so that a hundred images behind one dead host are told in one line.
struct Causes {
    struct Key: Hashable {
        let kind: FeedError.Kind
        let status: Int?
        let host: String?
        /// Set where each failure asks for another remedy: two feeds of one host may be wrong in two ways.
        let reason: String?

        init(_ error: FeedError, apartByReason: Bool) {
            kind = error.kind
            status = error.status
            host = error.host
            reason = apartByReason ? error.reason : nil
        }

        /// For a line that counts what it holds for.
        var place: String { host.map { " from \($0)" } ?? "" }
    }

    private struct Cause {
        let key: Key
        let first: ResourceURL
        let error: FeedError
        var count = 0
        /// The failures of this cause whose reason differs from the first's.
        var others = 0
        /// All failures add the same words to their reason, such as how often it was tried.
        var isOneStory = true

        /// Holds for all but the others.
        var message: String { isOneStory ? error.message : error.withoutRest }
    }

    private var causes: [Cause] = []
    private var numbers: [Key: Int] = [:]

    mutating func add(_ url: ResourceURL, _ error: FeedError, apartByReason: Bool) {
        let key = Key(error, apartByReason: apartByReason)
        let number = numbers.number(of: key)
        if number == causes.count { causes.append(Cause(key: key, first: url, error: error)) }
        causes[number].count += 1
        if error.rest != causes[number].error.rest { causes[number].isOneStory = false }
        if !Self.isAlike(error.reason, causes[number].error.reason) { causes[number].others += 1 }
    }

    /// Leaves out digits: how many bytes had come, after how many seconds.
    private static func isAlike(_ reason: String, _ other: String) -> Bool {
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return reason == other
            || reason.utf8.lazy.filter { !isDigit($0) }.elementsEqual(other.utf8.lazy.filter { !isDigit($0) })
    }

    /// `URL: reason`, or `37 images from HOST: reason (first: URL)`.
    func lines(of noun: String) -> [LogLine] {
        causes.map { cause in
            let (first, error) = (cause.first, cause.error)
            let others = cause.others == 0 ? "" : "; \(cause.others) for other reasons, which -v tells"
            let more = cause.isOneStory || cause.others > 0 ? "" : "; -v tells more of each"
            let counted = Phrases.count(cause.count, noun) + cause.key.place
            let many = "\(counted): \(cause.message) (first: \(first)\(others)\(more))"
            return LogLine(
                level: .error, event: "\(noun)_failed", text: cause.count == 1 ? "\(first): \(error.message)" : many,
                fields: [("url", .string(first.text)), ("count", .integer(cause.count))] + LogLine.fields(of: error))
        }
    }
}
