/// Decides whether a failed request is retried, and when.
///
/// The random number is passed in, so that tests cover every decision.
///
/// The first matching row applies. Attempt 0 is the first attempt of a request:
///
/// | failure     | attempt   | Retry-After     | action                                                |
/// |-------------|-----------|-----------------|-------------------------------------------------------|
/// | not passing | any       | any             | give up                                               |
/// | passing     | ≥ retries | any             | give up                                               |
/// | passing     | < retries | > longest pause | give up                                               |
/// | passing     | < retries | none            | retry after `random` × min(`cap`, `base` × 2^attempt) |
/// | passing     | < retries | ≤ longest pause | the same, but at least Retry-After                    |
///
/// This is full jitter: a wait begins at zero, so that requests that failed together are spread over time.
package struct RetryPolicy: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case giveUp
        case retry(after: Duration)
    }

    /// The longest Retry-After that a run waits for by default.
    package static let longestHostPause = Duration.seconds(120)

    /// The number of attempts after the first.
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

    /// Returns the same policy with another number of retries, if one is given.
    package func with(retries: Int?) -> RetryPolicy {
        guard let retries else { return self }
        return RetryPolicy(retries: retries, base: base, cap: cap, longestHostPause: longestHostPause)
    }

    /// Returns what to do after attempt number `attempt` has failed.
    ///
    /// `random` lies in `0..<1`.
    package func action(after failure: AttemptFailure, attempt: Int, random: Double) -> Action {
        guard failure.isPassing, attempt < retries else { return .giveUp }
        let backOff = ceiling(attempt: attempt) * random
        guard let floor = failure.retryAfter else { return .retry(after: backOff) }
        return floor > longestHostPause ? .giveUp : .retry(after: max(floor, backOff))
    }

    /// Returns the longest wait after this attempt.
    ///
    /// Doubling stops at the cap, because it would overflow for a large number of retries.
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

/// A failed attempt of a request: the error and the pause that the server asked for.
package struct AttemptFailure: Hashable, Sendable {
    package let error: FeedError
    package var stage: FeedError.Stage { error.stage ?? .transferring }
    /// The Retry-After of the response.
    package let retryAfter: Duration?

    package init(_ error: FeedError, retryAfter: Duration? = nil) {
        self.error = error
        self.retryAfter = retryAfter
    }

    /// Whether the attempt failed to connect, which `HostHealth` counts.
    package var isFailureToConnect: Bool {
        error.kind == .connectivity && (stage == .connecting || stage == .trusting)
    }

    /// Whether the host accepted the connection and stayed silent, which `HostHealth` counts as well.
    package var isSilence: Bool { error.kind == .connectivity && stage == .waiting }

    /// Whether the same request may succeed a little later.
    ///
    /// | kind         | stage        | status                            | passing |
    /// |--------------|--------------|-----------------------------------|---------|
    /// | connectivity | trusting     | any                               | no      |
    /// | connectivity | connecting   | any                               | yes     |
    /// | connectivity | waiting      | any                               | yes     |
    /// | connectivity | transferring | absent, or below 400: a cut-off   | yes     |
    /// | connectivity | transferring | 408, 425, 429, 500, 502, 503, 504 | yes     |
    /// | connectivity | transferring | another: 501, 505, 507…           | no      |
    /// | any other    | any          | any                               | no      |
    ///
    /// A 501 is `connectivity` as well, but the server lacks the feature permanently.
    package var isPassing: Bool {
        guard error.kind == .connectivity else { return false }
        switch stage {
        case .trusting: return false
        case .connecting, .waiting: return true
        case .transferring: return error.status.map { $0 < 400 || Self.passingStatuses.contains($0) } ?? true
        }
    }

    private static let passingStatuses = [408, 425, 429, 500, 502, 503, 504]
}
