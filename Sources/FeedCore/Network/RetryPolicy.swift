/// Whether a request that failed is tried again, and when. Chance is passed in, so that every answer can be tested.
///
/// The first row that fits counts; attempt 0 is a request's first try:
///
/// | failure     | attempt   | Retry-After     | action                                                |
/// |-------------|-----------|-----------------|-------------------------------------------------------|
/// | not passing | any       | any             | give up                                               |
/// | passing     | ≥ retries | any             | give up                                               |
/// | passing     | < retries | > longest pause | give up                                               |
/// | passing     | < retries | none            | retry after `random` × min(`cap`, `base` × 2^attempt) |
/// | passing     | < retries | ≤ longest pause | the same, but not before Retry-After is over          |
///
/// Full jitter: the wait is anything from zero up, so that requests that failed together don't come back together.
package struct RetryPolicy: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case giveUp
        case retry(after: Duration)
    }

    /// The most that a host can make everyone wait with its Retry-After.
    package static let longestHostPause = Duration.seconds(120)

    /// Further tries after the first.
    package let retries: Int
    package let base: Duration
    package let cap: Duration
    package let longestHostPause: Duration

    package init(
        retries: Int, base: Duration = .milliseconds(500), cap: Duration = .seconds(60),
        longestHostPause: Duration = Self.longestHostPause
    ) {
        self.retries = retries
        self.base = base
        self.cap = cap
        self.longestHostPause = longestHostPause
    }

    /// The same with another number of tries.
    package func trying(_ retries: Int?) -> RetryPolicy {
        guard let retries else { return self }
        return RetryPolicy(retries: retries, base: base, cap: cap, longestHostPause: longestHostPause)
    }

    /// What to do now that try number `attempt` has failed; `random` lies in `0..<1`.
    package func action(after failure: AttemptFailure, attempt: Int, random: Double) -> Action {
        guard failure.isPassing, attempt < retries else { return .giveUp }
        let backOff = ceiling(attempt: attempt) * random
        guard let floor = failure.retryAfter else { return .retry(after: backOff) }
        return floor > longestHostPause ? .giveUp : .retry(after: max(floor, backOff))
    }

    /// The longest wait after this attempt. Stops doubling at the cap, or a large number of retries would overflow.
    private func ceiling(attempt: Int) -> Duration {
        guard base > .zero else { return .zero }
        var ceiling = min(base, cap)
        var doublings = attempt
        while doublings > 0, ceiling < cap {
            ceiling = min(ceiling * 2, cap)
            doublings -= 1
        }
        return ceiling
    }
}
