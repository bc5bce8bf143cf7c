import CLinux
import FeedCore
import Glibc

/// Wakes a thread that waits for sockets: it rings until it is silenced.
final class Bell: Sendable {
    /// Readable while it rings.
    let number: Int32

    init() throws(FeedError) {
        number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else {
            throw .connectivity("there is nothing to wake transfers with: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(number) }

    /// From any thread. It can't fail but where it rings already.
    func ring() { eventfd_write(number, 1) }

    func silence() {
        var rings: eventfd_t = 0
        eventfd_read(number, &rings)
    }
}
