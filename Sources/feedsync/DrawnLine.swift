import Glibc

/// A line on standard error that is drawn again and again in one place.
struct DrawnLine {
    private static let usualWidth = 80

    private var columns = 0

    mutating func draw(_ line: (_ width: Int) -> String) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        // A terminal that was stopped would stop us too, and one that is another job's is not ours to draw on.
        guard !isTerminal || (isForeground && canWrite) else { return }
        let text = line(Self.width)
        let wipe = isTerminal && !Self.isDumb ? "\u{1B}[K" : String(repeating: " ", count: max(0, columns - text.count))
        write("\r\(text)\(wipe)")
        columns = text.count
    }

    mutating func clear() {
        guard columns > 0 else { return }
        let isTerminal = isatty(STDERR_FILENO) == 1
        write(isTerminal && !Self.isDumb ? "\r\u{1B}[K" : "\r\(String(repeating: " ", count: columns))\r")
        columns = 0
    }

    private func write(_ text: String) {
        // Nobody is told if this fails: who would see it doesn't see the line either.
        _ = StandardStreams.writeAll(Array(text.utf8), to: STDERR_FILENO)
    }

    private static var isDumb: Bool {
        guard let term = getenv("TERM") else { return true }
        return strcmp(term, "dumb") == 0
    }

    /// As of now: a terminal can be resized at any time.
    private static var width: Int {
        var size = winsize()
        if ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        guard let columns = getenv("COLUMNS"), let width = Int(String(cString: columns)), width > 0 else {
            return usualWidth
        }
        return width
    }

    private var isForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group < 0 || group == getpgrp()
    }

    private var canWrite: Bool {
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) == 1
    }
}
