internal import FeedCore
internal import Glibc

extension LockWait {
    /// Takes a flock, which lives as long as the descriptor.
    func lock(
        _ descriptor: Descriptor, _ kind: Descriptor.Lock = .exclusive, cache: String
    ) async throws(FeedError) {
        try await retrying { () throws(FeedError) in
            while !descriptor.lock(kind) {
                if errno == EINTR { continue }
                guard errno == EWOULDBLOCK else {
                    throw SystemError("can't be locked", descriptor.path).feedError(.failed)
                }
                throw .storage(.locked, "another feedsync run is using \(cache)")
            }
        }
    }
}
