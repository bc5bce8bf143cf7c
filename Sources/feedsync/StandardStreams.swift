import FeedCommands
import FeedCore
import Glibc
import Synchronization

/// The process's own standard output and error.
final class StandardStreams: Output {
    /// The line that is drawn below all others.
    private let line = Mutex(DrawnLine())

    /// A descriptor that was closed when we started would be given to the first file we open, and data meant for the
    /// terminal would end up in it. Opened for the wrong direction, it stays an error to use.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    func write(_ data: [UInt8]) throws(FeedError) {
        if isatty(STDOUT_FILENO) == 1 { line.withLock { $0.clear() } }
        if let reason = Self.writeAll(data, to: STDOUT_FILENO) {
            throw .storage(.failed, "standard output can't be written: \(reason)")
        }
    }

    func say(_ line: String) {
        self.line.withLock { drawn in
            drawn.clear()
            _ = Self.writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO)
        }
    }

    func draw(_ line: ((_ width: Int) -> String)?) {
        self.line.withLock { drawn in
            if let line { drawn.draw(line) } else { drawn.clear() }
        }
    }

    /// Takes the line away if nobody is just writing: for when there is no time to wait for that.
    func wipe() { _ = line.withLockIfAvailable { $0.clear() } }

    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {
        try FileReplacement(path: path).write(data)
    }

    /// Nil when all is written, else the reason.
    static func writeAll(_ data: [UInt8], to descriptor: Int32) -> String? {
        data.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written < 0, errno == EAGAIN {
                    // Whoever shares it with us may have made it non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return String(cString: strerror(errno))
                }
            }
            return nil
        }
    }
}
