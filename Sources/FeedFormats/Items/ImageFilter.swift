internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Takes images by the regular expressions that a person gave.
///
/// An expression can be so made that it takes longer on some text than anybody waits, and nothing ends a match that has
/// begun. So matches have a thread of their own, which is left behind when time is up.
final class ImageFilter: Sendable {
    private static let patience = DispatchTimeInterval.seconds(5)
    private static let matchedAtOnce = 100

    private let expressions: Expressions
    private let queue = DispatchQueue(label: "expressions")

    /// Nil where any URL is taken.
    init?(_ selection: ImageSelection) {
        guard !selection.includes.isEmpty || !selection.excludes.isEmpty else { return nil }
        expressions = Expressions(selection)
    }

    /// Which of these are taken.
    func takes(_ urls: [ResourceURL]) throws(DecodingFailure) -> [Bool] {
        var taken: [Bool] = []
        taken.reserveCapacity(urls.count)
        while taken.count < urls.count {
            try DecodingFailure.check()
            taken += try match(Array(urls[taken.count...].prefix(Self.matchedAtOnce)))
        }
        return taken
    }

    private func match(_ urls: [ResourceURL]) throws(DecodingFailure) -> [Bool] {
        let answer = Answer()
        queue.async { [expressions] in answer.give(Result { try expressions.take(urls.map(\.text)) }) }
        guard let result = answer.wait(Self.patience) else {
            throw .invalid("an expression of --include or --exclude took too long on an image's URL")
        }
        do { return try result.get() } catch {
            throw .invalid("an expression of --include or --exclude: \(error)")
        }
    }

    /// `@unchecked`: it is used on the queue alone, which is serial.
    private final class Expressions: @unchecked Sendable {
        private let selection: ImageSelection
        private var compiled: (includes: [Regex<AnyRegexOutput>], excludes: [Regex<AnyRegexOutput>])?

        init(_ selection: ImageSelection) { self.selection = selection }

        func take(_ texts: [String]) throws -> [Bool] {
            let (includes, excludes) =
                try compiled
                ?? (try selection.includes.map { try Regex($0) }, try selection.excludes.map { try Regex($0) })
            compiled = (includes, excludes)
            return try texts.map { text in
                let isIncluded = try includes.isEmpty || includes.contains { try $0.firstMatch(in: text) != nil }
                return try isIncluded && !excludes.contains { try $0.firstMatch(in: text) != nil }
            }
        }
    }

    private final class Answer: Sendable {
        private let result = Mutex<Result<[Bool], any Error>?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func give(_ given: Result<[Bool], any Error>) {
            result.withLock { $0 = given }
            isThere.signal()
        }

        func wait(_ patience: DispatchTimeInterval) -> Result<[Bool], any Error>? {
            isThere.wait(timeout: .now() + patience) == .success ? result.withLock { $0 } : nil
        }
    }
}
