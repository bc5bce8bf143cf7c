/// What the requests of a run have learnt about each host, an origin, and what follows for those to come.
///
/// | event                                    | what follows                                                      |
/// |------------------------------------------|-------------------------------------------------------------------|
/// | failed to connect, and began after the   | one failure more in a row; nobody starts before the next try is   |
/// | last such failure                        | due; with more in a row than a request has `retries`, the host is |
/// |                                          | given up for it, and for each with as few of them                 |
/// | failed to connect, but began before it   | nothing: another request saw the same outage                      |
/// | answered, with whatever status           | no failures in a row, and no next try to wait for                 |
/// | asked to wait, up to the longest pause   | nobody starts before that is over; a shorter one changes nothing  |
/// | asked to wait longer                     | given up                                                          |
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

    private struct Host {
        var round = Round()
        var failuresInARow = 0
        /// When the next try after a failure to connect is due.
        var nextTry: Timestamp?
        /// Until when the host asked to be left alone.
        var pauseEnd: Timestamp?
        var givenUp: FeedError?
        /// By the number of retries that were too few: of the first time that so many failed in a row.
        var unreachable: [FeedError] = []
    }

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
        if retries < host.unreachable.count { return .givenUp(host.unreachable[retries]) }
        if let error = host.givenUp { return .givenUp(error) }
        let wait = [host.nextTry, host.pauseEnd].compactMap(\.self).max()
        if let wait, now() < wait { return .wait(until: wait) }
        return .go(host.round)
    }

    /// `nextTry` is when the request is tried again, nil if it isn't.
    package mutating func failedToConnect(
        _ origin: String, in round: Round, _ error: FeedError, nextTry: Timestamp? = nil
    ) {
        var host = hosts[origin, default: Host()]
        guard host.givenUp == nil, host.round == round else { return }
        host.round.number += 1
        host.failuresInARow += 1
        host.nextTry = nextTry
        if host.failuresInARow > host.unreachable.count {
            let tries = host.failuresInARow == 1 ? "1 failed try" : "\(host.failuresInARow) failed tries in a row"
            host.unreachable.append(error.saying("\(error.message); given up after \(tries)"))
        }
        hosts[origin] = host
    }

    package mutating func answered(_ origin: String) {
        guard !hosts.isEmpty, var host = hosts[origin], host.failuresInARow > 0 else { return }
        host.round.number += 1
        host.failuresInARow = 0
        host.nextTry = nil
        hosts[origin] = host
    }

    /// An answer that is a passing failure, `error`, came with this Retry-After.
    package mutating func askedToWait(_ origin: String, for pause: Duration, _ error: FeedError, now: Timestamp) {
        var host = hosts[origin, default: Host()]
        guard host.givenUp == nil else { return }
        if pause > longestPause {
            let message = "\(error.message) and asks to wait \(pause.components.seconds) seconds, "
            let limit = "over the \(longestPause.components.seconds) that feedsync waits"
            host.givenUp = error.saying(message + limit)
        } else {
            let end = now + pause
            host.pauseEnd = max(host.pauseEnd ?? end, end)
        }
        hosts[origin] = host
    }
}
