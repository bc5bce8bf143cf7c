/// What the requests of a run have learnt about each host, an origin, and what follows for those to come.
///
/// | event                                    | what follows                                                      |
/// |------------------------------------------|-------------------------------------------------------------------|
/// | failed to connect, and began after the   | one failure more in a row; nobody starts before the next try is   |
/// | last such failure                        | due; with more in a row than a request has `retries`, the host is |
/// |                                          | given up for it, and for each with as few of them                 |
/// | failed to connect, but began before it   | nothing: another request saw the same outage                      |
/// | connected and said nothing, and began    | one silence more in a row; with more than a request has           |
/// | after the last such silence              | `retries`, and than three, given up for it, and for each with as  |
/// |                                          | few: each takes as long as a request may wait                     |
/// | answered, with whatever status           | no failures and no silences in a row, no next try to wait for     |
/// | answered as asked                        | the same, and nothing that it was waited for                      |
/// | asked to wait, up to the longest pause   | nobody starts before that is over; a shorter one changes nothing  |
/// | asked to wait longer, or again and again | given up                                                          |
/// | for longer together, answering nothing   |                                                                   |
/// | else in between                          |                                                                   |
/// | any of these, once given up              | given up for the run, for the first reason                        |
///
/// Moments may be of any clock, best of one that doesn't jump.
package struct HostHealth: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// A request may start, and hands the round back if it fails to connect.
        case go(Round)
        case wait(until: Timestamp)
        case givenUp(FeedError)
    }

    /// Tells a request that began before a failure from one that began after it: six that fail side by side are one
    /// outage, not six in a row.
    package struct Round: Hashable, Sendable {
        fileprivate var number = 0
    }

    /// What went wrong in a row.
    private struct Streak {
        private(set) var length = 0
        /// By the number of further tries that were too few: of the first time that so many went wrong in a row.
        private var reasons: [FeedError] = []

        mutating func grow(_ error: FeedError, _ tries: (Int) -> String) {
            length += 1
            guard length > reasons.count else { return }
            reasons.append(error.adding("; given up after \(tries(length))"))
        }

        /// The reasons stand.
        mutating func end() { length = 0 }

        /// Nil as long as so many further tries are enough.
        func reason(for retries: Int) -> FeedError? { retries < reasons.count ? reasons[retries] : nil }
    }

    private struct Host {
        var round = Round()
        var failures = Streak()
        var silences = Streak()
        /// When the next try after a failure to connect is due.
        var nextTry: Timestamp?
        /// For how long, in all, since it last answered as asked.
        var pause = Duration.zero
        var givenUp: FeedError?
        /// Until when the host asked to be left alone, also where that is longer than anybody waits.
        var askedUntil: Timestamp?

        var waitEnd: Timestamp? { [nextTry, askedUntil].compactMap(\.self).max() }
    }

    /// Of several images, which are asked for but once, one or two may be at fault themselves.
    private static let fewestSilences = 3

    private let longestPause: Duration
    private var hosts: [String: Host] = [:]

    package init(longestPause: Duration = RetryPolicy.longestHostPause) {
        self.longestPause = longestPause
    }

    /// For a request with so many retries.
    package func verdict(_ origin: String, retries: Int, now: @autoclosure () -> Timestamp) -> Verdict {
        // Mostly all are well, and none is looked up.
        guard !hosts.isEmpty, let host = hosts[origin] else { return .go(Round()) }
        let retries = max(0, retries)
        let silence = host.silences.reason(for: max(retries, Self.fewestSilences))
        if let error = host.failures.reason(for: retries) ?? silence ?? host.givenUp { return .givenUp(error) }
        if let wait = host.waitEnd, now() < wait { return .wait(until: wait) }
        return .go(host.round)
    }

    /// Before this nothing starts at the host, if it has to wait for anything.
    package func waitEnd(_ origin: String) -> Timestamp? {
        hosts[origin].flatMap { $0.givenUp == nil ? $0.waitEnd : nil }
    }

    /// `nextTry` is when the request is tried again, nil if it isn't.
    package mutating func failedToConnect(
        _ origin: String, in round: Round, _ error: FeedError, nextTry: Timestamp? = nil
    ) {
        var host = hosts[origin, default: Host()]
        guard host.givenUp == nil, host.round == round else { return }
        host.round.number += 1
        host.nextTry = nextTry
        host.failures.grow(error) { $0 == 1 ? "1 failed try" : "\($0) failed tries in a row" }
        hosts[origin] = host
    }

    /// The request was sent, and nothing came of it.
    package mutating func wasSilent(_ origin: String, in round: Round, _ error: FeedError) {
        var host = hosts[origin, default: Host()]
        guard host.givenUp == nil, host.round == round else { return }
        host.round.number += 1
        host.silences.grow(error) { "\($0) tries in a row without an answer" }
        hosts[origin] = host
    }

    /// With a failure that passes, or else as it was asked. Says whether that ends a wait.
    @discardableResult
    package mutating func answered(_ origin: String, isBusy: Bool = false) -> Bool {
        guard !hosts.isEmpty, var host = hosts[origin] else { return false }
        let waited = host.nextTry != nil
        if !isBusy { host.pause = .zero }
        if host.failures.length + host.silences.length > 0 {
            host.round.number += 1
            host.failures.end()
            host.silences.end()
            host.nextTry = nil
        }
        hosts[origin] = host
        return waited && host.nextTry == nil
    }

    /// An answer that is a passing failure, `error`, came with this Retry-After.
    package mutating func askedToWait(_ origin: String, for pause: Duration, _ error: FeedError, now: Timestamp) {
        var host = hosts[origin, default: Host()]
        defer { hosts[origin] = host }
        let asked = now + min(pause, FeedWait.longest)
        let before = host.askedUntil
        host.askedUntil = max(before ?? asked, asked)
        guard host.givenUp == nil else { return }
        // Those that are asked side by side, if not at the same moment, are asked to wait for the same time.
        if before.map({ $0 <= now }) ?? true { host.pause += pause }
        if pause > longestPause || host.pause > longestPause {
            let isAtOnce = pause > longestPause
            let asks = isAtOnce ? "asks to wait" : "asked again and again to wait, for"
            let seconds = isAtOnce ? pause.components.seconds : host.pause.components.seconds
            let limit = "over the \(longestPause.components.seconds) that feedsync waits"
            host.givenUp = error.adding(" and \(asks) \(seconds) seconds, \(limit)")
        }
    }
}
