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
        let file = try FileReplacement(path: path)
        try data.withUnsafeBufferPointer { bytes throws(FeedError) in try file.write(UnsafeRawBufferPointer(bytes)) }
        try file.commit()
    }

    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget {
        if let path { return try FileReplacement(path: path, isInterruptible: true) }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw .storage(
                .cannotCreate, "standard output is a terminal, and an archive is not for reading: redirect it")
        }
        return StandardOutput()
    }

    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { try FileSource(path: path) }

    /// Nil when all is written, else the reason. Throws `cancelled` while it waits in a task that was.
    static func writeAllUnlessCancelled(
        _ data: UnsafeRawBufferPointer, to descriptor: Int32
    ) throws(FeedError) -> String? {
        var rest = data[...]
        while !rest.isEmpty {
            // No more at once than a pipe that is ready takes without blocking.
            let part = isPipe(descriptor) ? rest.prefix(Int(PIPE_BUF)) : rest
            try wait(for: POLLOUT, on: descriptor)
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: part).baseAddress, part.count)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written < 0, errno != EINTR, errno != EAGAIN {
                return String(cString: strerror(errno))
            }
        }
        return nil
    }

    /// Returns when there is something to be done with it, if only to find that it is broken.
    static func wait(for event: Int32, on descriptor: Int32) throws(FeedError) {
        var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            if Task.isCancelled { throw .cancelled }
            let count = poll(&ready, 1, 100)
            if count > 0 || (count < 0 && errno != EINTR) { return }
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Nil when all is written, else the reason.
    static func writeAll(_ data: [UInt8], to descriptor: Int32) -> String? {
        data.withUnsafeBytes { writeAll($0, to: descriptor) }
    }

    static func writeAll(_ data: UnsafeRawBufferPointer, to descriptor: Int32) -> String? {
        var rest = data[...]
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

/// Standard output as it is: what was written can't be taken back.
private struct StandardOutput: ByteTarget {
    func write(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
        if let reason = try StandardStreams.writeAllUnlessCancelled(bytes, to: STDOUT_FILENO) {
            throw .storage(.failed, "standard output can't be written: \(reason)")
        }
    }

    func commit() throws(FeedError) {}
}
