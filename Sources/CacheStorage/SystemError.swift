internal import FeedCore
internal import Glibc

/// A failed system call: what could not be done to which file, and why.
struct SystemError: Error {
    let code: Int32
    let message: String

    /// Takes the reason from `errno`: make it right after the call that failed.
    init(_ what: String, _ path: String) {
        let code = errno
        self.init(code: code, "\(path): \(what): \(String(cString: strerror(code)))")
    }

    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

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
