/// A try that failed, with what the error alone doesn't say: how far it got, and how long the server asked to wait.
package struct AttemptFailure: Hashable, Sendable {
    package let error: FeedError
    package var stage: FeedError.Stage { error.stage ?? .transferring }
    /// Of the answer's `Retry-After`.
    package let retryAfter: Duration?

    package init(_ error: FeedError, retryAfter: Duration? = nil) {
        self.error = error
        self.retryAfter = retryAfter
    }

    /// Whether the host could not be connected to: what `HostHealth` counts.
    package var isFailureToConnect: Bool {
        error.kind == .connectivity && (stage == .connecting || stage == .trusting)
    }

    /// Whether it was connected to, and said nothing: what `HostHealth` counts as well.
    package var isSilence: Bool { error.kind == .connectivity && stage == .waiting }

    /// Whether the same request may well succeed a little later.
    ///
    /// | kind         | stage        | status                            | passing |
    /// |--------------|--------------|-----------------------------------|---------|
    /// | connectivity | trusting     | any                               | no      |
    /// | connectivity | connecting   | any                               | yes     |
    /// | connectivity | waiting      | any                               | yes     |
    /// | connectivity | transferring | none, or below 400: a cut-off     | yes     |
    /// | connectivity | transferring | 408, 425, 429, 500, 502, 503, 504 | yes     |
    /// | connectivity | transferring | another: 501, 505, 507…           | no      |
    /// | any other    | any          | any                               | no      |
    ///
    /// A 501 is `connectivity` too, as a server that can't serve, but one that won't learn to in a minute.
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
