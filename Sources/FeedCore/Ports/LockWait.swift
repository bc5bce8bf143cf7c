/// How long to wait for a lock that another run holds, and how.
package struct LockWait: Sendable {
    package let limit: Duration
    package let sleeping: @Sendable (Duration) async throws -> Void

    private static let step = Duration.milliseconds(50)

    package init(limit: Duration, sleeping: @escaping @Sendable (Duration) async throws -> Void) {
        self.limit = limit
        self.sleeping = sleeping
    }

    /// Tries again as long as it fails because somebody else holds the lock, until the time is up.
    package func retrying<Outcome>(
        _ attempt: () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        var waited = Duration.zero
        while true {
            do {
                return try await attempt()
            } catch {
                guard error.kind == .storage(.locked) else { throw error }
                guard waited < limit else {
                    throw limit > .zero
                        ? error.adding(", and was waited for") : error.hinting("wait for it with --lock-wait")
                }
                let pause = min(Self.step, limit - waited)
                do { try await sleeping(pause) } catch { throw FeedError.cancelled }
                waited += pause
            }
        }
    }
}
