internal import FeedCore
internal import Glibc
internal import SystemFiles

extension SystemError {
    func feedError(creating path: String) -> FeedError {
        switch code {
        case EWOULDBLOCK, ENOSPC, EDQUOT, EIO: feedError(writing: path)
        default: .storage(.cannotCreate, "the gallery can't be written: \(message)")
        }
    }

    func feedError(writing path: String) -> FeedError {
        code == EWOULDBLOCK ? .storage(.locked, message) : .storage(.failed, "writing the gallery failed: \(message)")
    }
}
