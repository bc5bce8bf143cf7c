/// Records what the requests of a run learn about each host (an origin), and decides whether further requests may
/// start.
///
/// | event                                    | effect                                                             |
/// |------------------------------------------|--------------------------------------------------------------------|
/// | failed to connect, and started after the | one more failure in a row. Requests wait for the next attempt. The |
/// | last such failure                        | host is given up for every request that has fewer `retries` than   |
/// |                                          | the failures in a row                                              |
/// | failed to connect, but started before it | none: both requests met the same outage                            |
/// | connected and stayed silent, and started | one more silence in a row. The host is given up after more than    |
/// | after the last such silence              | three, and more than the request has `retries`, because each takes |
/// |                                          | as long as a request may wait                                      |
/// | answered, with any status                | failures and silences in a row end, and with them the wait         |
/// | answered successfully                    | the same, and the sum of the pauses is zero again                  |
/// | asked for a pause, up to the longest     | requests wait until the pause is over; a shorter pause is ignored  |
/// | asked for a longer pause, or for several | the host is given up                                               |
/// | that are longer together, without a      |                                                                    |
/// | successful response in between           |                                                                    |
/// | any of these, once given up              | the host stays given up for the run, for the first reason          |
///
/// Timestamps may come from any clock. A monotonic clock is best.
package struct HostHealth: Sendable {
    package enum Decision: Hashable, Sendable {
        /// A request may start. It returns the generation if it fails to connect.
        case go(Generation)
        case wait(until: Timestamp)
        case givenUp(FeedError)
    }

    /// Tells a request that started before a failure from one that started after it: six requests that fail side by
    /// side are one outage.
    package struct Generation: Hashable, Sendable {
        fileprivate var number = 0
    }

    /// A number of attempts in a row that failed in the same way.
    private struct Streak {
        private(set) var length = 0
        /// The error of each streak length, from the first time that it was reached.
        ///
        /// The index is the number of retries that such a streak exceeds.
        private var reasons: [FeedError] = []

        mutating func grow(_ error: FeedError, _ attempts: (Int) -> String) {
            length += 1
            guard length > reasons.count else { return }
            reasons.append(error.adding("; given up after \(attempts(length))"))
        }

        /// Ends the streak, and keeps its reasons.
        mutating func end() { length = 0 }

        /// Returns why the host is given up for a request with so many retries; nil while they suffice.
        func reason(for retries: Int) -> FeedError? { retries < reasons.count ? reasons[retries] : nil }
    }

    private struct Record {
        var generation = Generation()
        var failures = Streak()
        var silences = Streak()
        /// When the next attempt after a failure to connect is due.
        var nextTry: Timestamp?
        /// The sum of the pauses that the host has asked for since its last successful response.
        var pause = Duration.zero
        var givenUp: FeedError?
        /// The end of the pause that the host asked for, even if it is longer than a run waits.
        var pauseEnd: Timestamp?

        var waitEnd: Timestamp? { [nextTry, pauseEnd].compactMap(\.self).max() }
    }

    /// The host is given up after more silences than this.
    ///
    /// A single image may be the cause of one or two.
    private static let fewestSilences = 3

    private let longestPause: Duration
    private var hosts: [String: Record] = [:]

    package init(longestPause: Duration = RetryPolicy.longestHostPause) {
        self.longestPause = longestPause
    }

    /// Decides whether a request with so many retries may start.
    package func decision(_ origin: String, retries: Int, now: @autoclosure () -> Timestamp) -> Decision {
        // The look-up is saved in most runs, where every host is healthy.
        guard !hosts.isEmpty, let host = hosts[origin] else { return .go(Generation()) }
        let retries = max(0, retries)
        let silence = host.silences.reason(for: max(retries, Self.fewestSilences))
        if let error = host.failures.reason(for: retries) ?? silence ?? host.givenUp { return .givenUp(error) }
        if let wait = host.waitEnd, now() < wait { return .wait(until: wait) }
        return .go(host.generation)
    }

    /// Returns when requests to the host may start; nil if they may start now.
    package func waitEnd(_ origin: String) -> Timestamp? {
        hosts[origin].flatMap { $0.givenUp == nil ? $0.waitEnd : nil }
    }

    /// Records a failure to connect.
    ///
    /// `nextTry` is when the request is retried, if it is.
    package mutating func failedToConnect(
        _ origin: String, in generation: Generation, _ error: FeedError, nextTry: Timestamp? = nil
    ) {
        var host = hosts[origin, default: Record()]
        guard host.givenUp == nil, host.generation == generation else { return }
        host.generation.number += 1
        host.nextTry = nextTry
        host.failures.grow(error) { $0 == 1 ? "1 failed try" : "\($0) failed tries in a row" }
        hosts[origin] = host
    }

    /// Records that the host left a request without a response.
    package mutating func wasSilent(_ origin: String, in generation: Generation, _ error: FeedError) {
        var host = hosts[origin, default: Record()]
        guard host.givenUp == nil, host.generation == generation else { return }
        host.generation.number += 1
        host.silences.grow(error) { "\($0) tries in a row without an answer" }
        hosts[origin] = host
    }

    /// Records a response, which is a passing failure if `isBusy`.
    ///
    /// Returns whether it ends a wait.
    @discardableResult
    package mutating func answered(_ origin: String, isBusy: Bool = false) -> Bool {
        guard !hosts.isEmpty, var host = hosts[origin] else { return false }
        let waited = host.nextTry != nil
        if !isBusy { host.pause = .zero }
        if host.failures.length + host.silences.length > 0 {
            host.generation.number += 1
            host.failures.end()
            host.silences.end()
            host.nextTry = nil
        }
        hosts[origin] = host
        return waited && host.nextTry == nil
    }

    /// Records the Retry-After of a response that is the passing failure `error`.
    package mutating func askedToWait(_ origin: String, for pause: Duration, _ error: FeedError, now: Timestamp) {
        var host = hosts[origin, default: Record()]
        defer { hosts[origin] = host }
        let end = now + min(pause, FeedWait.longest)
        let earlierEnd = host.pauseEnd
        host.pauseEnd = max(earlierEnd ?? end, end)
        guard host.givenUp == nil else { return }
        // Requests that run side by side are all asked for the same pause, which counts once.
        if earlierEnd.map({ $0 <= now }) ?? true { host.pause += pause }
        if pause > longestPause || host.pause > longestPause {
            let isAtOnce = pause > longestPause
            let asks = isAtOnce ? "asks to wait" : "asked again and again to wait, for"
            let seconds = isAtOnce ? pause.components.seconds : host.pause.components.seconds
            let limit = "over the \(longestPause.components.seconds) that feedsync waits"
            host.givenUp = error.adding(" and \(asks) \(seconds) seconds, \(limit)")
        }
    }
}
