internal import FeedCore
internal import Glibc
internal import SystemFiles

extension SystemError {
    /// Nothing more can be written: no failure of one file alone.
    var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    /// There is no right to it, which says nothing of its bytes.
    var isForbidden: Bool { code == EACCES || code == EPERM }

    /// Whether what failed with a file in a directory is that file's own failure, as a bad sector is, a damaged inode, or that
    /// there is no right to it. Whatever else comes in the way, such as that no more files can be open, comes in the way of
    /// the next as well; and so does a directory in which there is no right to anything.
    func concernsOneFile(in directory: Descriptor) -> Bool {
        (isForbidden || [EIO, EUCLEAN, EBADMSG].contains(code))
            && faccessat(directory.number, ".", X_OK, AT_EACCESS) == 0
    }

    /// ENOSPC is always `.failed`, and a file of another user always `.cannotCreate`.
    func feedError(_ fault: FeedError.StorageFault) -> FeedError {
        if isFullDisk { return FeedError.storage(.failed, message).lackingRoom() }
        return .storage(isForeign ? .cannotCreate : fault, message)
    }
}

/// Runs system calls; a failure of one is this fault of the cache.
func attempt<Outcome>(
    _ fault: FeedError.StorageFault, _ work: () throws(SystemError) -> Outcome
) throws(FeedError) -> Outcome {
    do { return try work() } catch { throw error.feedError(fault) }
}
