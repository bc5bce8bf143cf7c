internal import FeedCore
internal import Glibc
internal import SystemFiles

extension SystemError {
    /// Nothing more can be written: no failure of one file alone.
    var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    func feedError(_ fault: FeedError.StorageFault) -> FeedError { .storage(fault, message) }
}

/// Runs system calls; a failure of one is this fault of the cache.
func attempt<Outcome>(
    _ fault: FeedError.StorageFault, _ work: () throws(SystemError) -> Outcome
) throws(FeedError) -> Outcome {
    do { return try work() } catch { throw error.feedError(fault) }
}
