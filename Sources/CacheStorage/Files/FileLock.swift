internal import FeedCore
internal import SystemFiles

extension LockWait {
    /// Waits for a flock, which is held until the descriptor is closed.
    func lock(_ descriptor: Descriptor, _ kind: Descriptor.Lock, cache: String) async throws(FeedError) {
        try await retrying { () throws(FeedError) in try descriptor.lock(kind, cache: cache) }
    }
}

extension Descriptor {
    /// Takes a flock, or throws at once if another process holds it.
    func lock(_ kind: Lock, cache: String) throws(FeedError) {
        guard try attempt(.failed, { () throws(SystemError) in try lock(kind) }) else { throw .inUse(cache) }
    }
}

extension FeedError {
    static func inUse(_ cache: String) -> FeedError {
        .storage(.locked, "another feedsync run is using \(cache)")
    }
}
