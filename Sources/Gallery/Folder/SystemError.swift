internal import FeedCore
internal import Glibc

/// A failed system call on a gallery's folder: what could not be done, and why.
struct SystemError: Error {
    let code: Int32
    let message: String

    /// Takes the reason from `errno`: make it right after the call that failed.
    init(_ what: String, _ path: String) {
        code = errno
        message = "\(path): \(what): \(String(cString: strerror(code)))"
    }

    /// A reason of our own.
    init(_ code: Int32, _ reason: String, _ path: String) {
        self.code = code
        message = "\(path): \(reason)"
    }

    func feedError(creating path: String) -> FeedError {
        switch code {
        case EWOULDBLOCK: .storage(.locked, message)
        case ENOSPC, EDQUOT, EIO: feedError(writing: path)
        default: .storage(.cannotCreate, "the gallery can't be written: \(message)")
        }
    }

    func feedError(writing path: String) -> FeedError { .storage(.failed, "writing the gallery failed: \(message)") }
}
