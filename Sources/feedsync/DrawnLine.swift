import Glibc

/// A line on standard error that is drawn again and again in one place.
struct DrawnLine {
    private static let usualWidth = 80

    private var columns = 0

    mutating func draw(_ line: (_ width: Int) -> String) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let channel = InterruptibleDescriptor(descriptor: STDERR_FILENO)
        // A terminal that was stopped would stop us too, and one that is another job's is not ours to draw on.
        guard channel.isReady, !isTerminal || isForeground else { return }
        let text = line(Self.width)
        let wipe = isTerminal && !Self.isDumb ? "\u{1B}[K" : String(repeating: " ", count: max(0, columns - text.count))
        channel.write("\r\(text)\(wipe)")
        columns = text.count
    }

    /// The text that takes the line away, once.
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

    /// As of now: a terminal can be resized at any time.
    private static var width: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : usualWidth
    }

    private var isForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group < 0 || group == getpgrp()
    }
}
