internal import FeedCore
internal import Glibc
internal import SystemFiles

extension SystemError {
    /// Whether the disk or the quota is full, which concerns every file.
    var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether permission was denied.
    ///
    /// The bytes of the file may be intact.
    var isForbidden: Bool { code == EACCES || code == EPERM }

    /// Returns whether the failure concerns one file of the directory, such as a bad sector, a damaged inode or a
    /// denied permission.
    ///
    /// Other failures, such as too many open files, would affect the next file as well, and so does a directory that
    /// denies access to all its files.
    func concernsOneFile(in directory: Descriptor) -> Bool {
        (isForbidden || [EIO, EUCLEAN, EBADMSG].contains(code))
            && faccessat(directory.number, ".", X_OK, AT_EACCESS) == 0
    }

    /// Returns the error of the cache for this failure.
    ///
    /// A full disk is always `.failed`, and a file of another user is always `.cannotCreate`.
    func feedError(_ fault: FeedError.StorageFault) -> FeedError {
        if isFullDisk { return FeedError.storage(.failed, message).lackingRoom() }
        return .storage(isForeign ? .cannotCreate : fault, message)
    }
}

/// Runs system calls and converts their failure into the given fault of the cache.
func attempt<Outcome>(
    _ fault: FeedError.StorageFault, _ work: () throws(SystemError) -> Outcome
) throws(FeedError) -> Outcome {
    do { return try work() } catch { throw error.feedError(fault) }
}

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
