import FeedCommands
import FeedCore
import Glibc
import Synchronization
import SystemFiles

/// The standard output and standard error of the process.
final class StandardStreams: Output {
    /// The progress line, which is drawn below all others.
    private let line = Mutex(DrawnLine())
    private let gracePeriod = GracePeriod()

    /// Opens standard descriptors that were closed at the start: the next file would otherwise get their number and
    /// receive data for the terminal.
    ///
    /// They are opened for the wrong direction, so that using them still fails.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    var columns: Int? { isTerminal ? DrawnLine.width(of: STDOUT_FILENO) : nil }

    var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    func write(_ data: [UInt8]) throws(FeedError) {
        if isTerminal { draw(nil) }
        let output = StandardOutput(gracePeriod: currentGracePeriod)
        try data.withUnsafeBufferPointer { bytes throws(FeedError) in
            try output.write([UnsafeRawBufferPointer(bytes)])
        }
    }

    func say(_ line: String) {
        self.line.withLock { writeError($0.erase() + line + "\n") }
    }

    func draw(_ line: ((_ width: Int) -> String)?) {
        self.line.withLock { drawn in
            if let line { drawn.draw(line) } else { writeError(drawn.erase()) }
        }
    }

    /// Erases the progress line if standard error is ready, for an immediate exit.
    func eraseLineIfReady() {
        _ = line.withLockIfAvailable { drawn in
            if InterruptibleDescriptor(descriptor: STDERR_FILENO).isReady { writeError(drawn.erase(), isHurried: true) }
        }
    }

    private func writeError(_ text: String, isHurried: Bool = false) {
        let gracePeriod = isHurried ? GracePeriod(milliseconds: 0) : gracePeriod
        InterruptibleDescriptor(descriptor: STDERR_FILENO, gracePeriod: gracePeriod, isHurried: isHurried).write(text)
    }

    /// The grace period of a stopped run, in which readers take the finished output.
    private var currentGracePeriod: GracePeriod? { Task.isCancelled ? gracePeriod : nil }

    /// Replaces the file.
    ///
    /// A stopped run completes it within its grace period.
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {
        let file = try FileReplacement(path: path, gracePeriod: gracePeriod)
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

    func isSameFile(_ input: String?, _ output: String?) -> Bool {
        var (one, other) = (stat(), stat())
        let found = (
            input.map { stat($0, &one) } ?? fstat(STDIN_FILENO, &one),
            output.map { stat($0, &other) } ?? fstat(STDOUT_FILENO, &other)
        )
        return found == (0, 0) && one.isFile && one.isSame(as: other)
    }
}

/// Standard output, whose data is final once written.
private struct StandardOutput: ByteTarget {
    var gracePeriod: GracePeriod?

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try InterruptibleDescriptor(descriptor: STDOUT_FILENO, gracePeriod: gracePeriod).write(pieces) { reason in
            .storage(.failed, "standard output can't be written: \(reason)")
        }
    }

    func commit() throws(FeedError) {}
}

/// A line on standard error that is redrawn in place.
struct DrawnLine {
    private static let usualWidth = 80

    private var columns = 0

    mutating func draw(_ line: (_ width: Int) -> String) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let standardError = InterruptibleDescriptor(descriptor: STDERR_FILENO)
        // A stopped terminal would block the run, and the terminal of a foreground job belongs to that job.
        guard standardError.isReady, !isTerminal || isForeground else { return }
        let text = line(Self.width(of: STDERR_FILENO))
        let padding =
            isTerminal && !Self.isDumb ? "\u{1B}[K" : String(repeating: " ", count: max(0, columns - text.count))
        standardError.write("\r\(text)\(padding)")
        columns = text.count
    }

    /// Returns the text that erases the line, once.
    mutating func erase() -> String {
        guard columns > 0 else { return "" }
        defer { columns = 0 }
        let isTerminal = isatty(STDERR_FILENO) == 1
        return isTerminal && !Self.isDumb ? "\r\u{1B}[K" : "\r\(String(repeating: " ", count: columns))\r"
    }

    private static var isDumb: Bool {
        guard let term = getenv("TERM") else { return true }
        return strcmp(term, "dumb") == 0
    }

    /// Returns the current width: a terminal can be resized at any time.
    static func width(of terminal: Int32) -> Int {
        var size = winsize()
        let isKnown = ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : usualWidth
    }

    private var isForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group < 0 || group == getpgrp()
    }
}
