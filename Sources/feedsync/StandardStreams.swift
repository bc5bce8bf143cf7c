import FeedCommands
import FeedCore
import Glibc
import Synchronization

/// The process's own standard output and error.
final class StandardStreams: Output {
    /// The line that is drawn below all others.
    private let line = Mutex(DrawnLine())
    private let patience = GracePeriod()

    /// A descriptor that was closed when we started would be given to the first file we open, and data meant for the
    /// terminal would end up in it. Opened for the wrong direction, it stays an error to use.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    func write(_ data: [UInt8]) throws(FeedError) {
        if isTerminal { draw(nil) }
        let output = StandardOutput(patience: patienceNow)
        try data.withUnsafeBufferPointer { bytes throws(FeedError) in
            try output.write([UnsafeRawBufferPointer(bytes)])
        }
    }

    func say(_ line: String) {
        self.line.withLock { tell($0.erase() + line + "\n") }
    }

    func draw(_ line: ((_ width: Int) -> String)?) {
        self.line.withLock { drawn in
            if let line { drawn.draw(line) } else { tell(drawn.erase()) }
        }
    }

    /// Takes the line away if that makes us wait for nobody: for when there is no time.
    func wipe() {
        _ = line.withLockIfAvailable { drawn in
            if InterruptibleDescriptor(descriptor: STDERR_FILENO).isReady { tell(drawn.erase(), isHurried: true) }
        }
    }

    private func tell(_ text: String, isHurried: Bool = false) {
        let patience = isHurried ? GracePeriod(milliseconds: 0) : patience
        InterruptibleDescriptor(descriptor: STDERR_FILENO, patience: patience, isHurried: isHurried).write(text)
    }

    /// A stopped run waits a moment for the reader of what it got done.
    private var patienceNow: GracePeriod? { Task.isCancelled ? patience : nil }

    /// A run that is stopped meanwhile completes the file, if that keeps nobody waiting.
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {
        let file = try FileReplacement(path: path, patience: patience)
        try data.withUnsafeBufferPointer { bytes throws(FeedError) in try file.write([UnsafeRawBufferPointer(bytes)]) }
        try file.commit()
    }

    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget {
        if let path { return try FileReplacement(path: path) }
        guard !isTerminal else {
            throw .storage(
                .cannotCreate, "standard output is a terminal, and an archive is not for reading: redirect it")
        }
        return StandardOutput()
    }

    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { try FileSource(path: path) }
}

/// Standard output as it is: what was written can't be taken back.
private struct StandardOutput: ByteTarget {
    var patience: GracePeriod?

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try InterruptibleDescriptor(descriptor: STDOUT_FILENO, patience: patience).write(pieces) { reason in
            .storage(.failed, "standard output can't be written: \(reason)")
        }
    }

    func commit() throws(FeedError) {}
}
