internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Selects images by the regular expressions of `--include` and `--exclude`.
///
/// Some expressions take hours on some texts, and a running match cannot be stopped. Matches therefore run on a thread
/// of their own, which is abandoned when the time for the feed is over.
final class ImageFilter: Sendable {
    /// The time for a feed, which grows with each URL: an expression that begins with `.*` may need most of it.
    private static let time = Duration.seconds(5)
    private static let timeOfEachURL = Duration.milliseconds(1)
    private static let batchSize = 100

    private let expressions: Expressions
    private let queue = DispatchQueue(label: "expressions")
    private let timeLeft = Mutex(time)
    private let uptime: @Sendable () -> ContinuousClock.Instant

    /// Creates a filter for one feed; nil if the selection accepts every URL.
    init?(_ selection: ImageSelection, uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        guard !selection.includes.isEmpty || !selection.excludes.isEmpty else { return nil }
        expressions = Expressions(selection)
        self.uptime = uptime
    }

    /// Returns for each URL whether the selection accepts it.
    func accepts(_ urls: [ResourceURL]) throws(DecodingFailure) -> [Bool] {
        var accepted: [Bool] = []
        accepted.reserveCapacity(urls.count)
        while accepted.count < urls.count {
            accepted += try match(Array(urls[accepted.count...].prefix(Self.batchSize)))
        }
        return accepted
    }

    private func match(_ urls: [ResourceURL]) throws(DecodingFailure) -> [Bool] {
        let pending = PendingResult()
        let end = uptime() + timeLeft.withLock { $0 + Self.timeOfEachURL * urls.count }
        queue.async { [expressions] in pending.set(Result { try expressions.accept(urls.map(\.text)) }) }
        var result: Result<[Bool], any Error>?
        while result == nil {
            try DecodingFailure.check()
            guard uptime() < end else {
                throw .invalid("the expressions of --include and --exclude took too long on the feed's image URLs")
            }
            result = pending.wait(.milliseconds(100))
        }
        timeLeft.withLock { $0 = end - uptime() }
        do { return try result?.get() ?? [] } catch {
            throw .invalid("an expression of --include or --exclude: \(error)")
        }
    }

    /// `@unchecked`: only the serial queue uses it.
    private final class Expressions: @unchecked Sendable {
        private let selection: ImageSelection
        private var compiled: (includes: [Regex<AnyRegexOutput>], excludes: [Regex<AnyRegexOutput>])?

        init(_ selection: ImageSelection) { self.selection = selection }

        func accept(_ texts: [String]) throws -> [Bool] {
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

    private final class PendingResult: Sendable {
        private let result = Mutex<Result<[Bool], any Error>?>(nil)
        private let isSet = DispatchSemaphore(value: 0)

        func set(_ given: Result<[Bool], any Error>) {
            result.withLock { $0 = given }
            isSet.signal()
        }

        func wait(_ patience: DispatchTimeInterval) -> Result<[Bool], any Error>? {
            isSet.wait(timeout: .now() + patience) == .success ? result.withLock { $0 } : nil
        }
    }
}
