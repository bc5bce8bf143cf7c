internal import FeedCore
internal import Glibc

/// How long to wait for a lock that somebody else holds, and how.
struct LockWait: Sendable {
    let limit: Duration
    let sleeping: @Sendable (Duration) async throws -> Void

    private static let step = Duration.milliseconds(50)

    /// Takes a flock, which lives as long as the descriptor.
    func lock(
        _ descriptor: Descriptor, _ kind: Descriptor.Lock = .exclusive, cache: String
    ) async throws(FeedError) {
        var waited = Duration.zero
        while !descriptor.lock(kind) {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else {
                throw SystemError("can't be locked", descriptor.path).feedError(.failed)
            }
            guard waited < limit else {
                throw .storage(.locked, "another feedsync run is using \(cache); wait for it with --lock-wait")
            }
            let pause = min(Self.step, limit - waited)
            do { try await sleeping(pause) } catch { throw FeedError.cancelled }
            waited += pause
        }
    }
}
