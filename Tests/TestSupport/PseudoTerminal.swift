import Glibc
import Synchronization

/// A terminal that a test reads and types into.
package final class PseudoTerminal: Sendable {
    private struct State {
        var shown: [UInt8] = []
        var hasEnded = false
        var waiting:
            [(isEnough: @Sendable (String) -> Bool, from: Int, continuation: CheckedContinuation<Bool, Never>)] =
                []
    }

    /// The descriptor of the side that a program uses.
    package let path: String
    private let own: Int32
    private let state = Mutex(State())

    package init(columns: Int) throws(SystemFailure) {
        own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard own >= 0 else { throw .last("open /dev/ptmx") }
        // Swift can't see posix_openpt and its relatives, so this code does what they do.
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(own, setLock, &unlocked) == 0, ioctl(own, getNumber, &number) == 0 else {
            close(own)
            throw .last("unlock a terminal")
        }
        path = "/dev/pts/\(number)"
        try resize(columns: columns)
    }

    deinit { close(own) }

    package func resize(columns: Int) throws(SystemFailure) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(own, UInt(TIOCSWINSZ), &size) == 0 else { throw .last("TIOCSWINSZ") }
    }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(own, bytes, bytes.count)
    }

    /// The number of bytes from the program that wait here.
    ///
    /// More of them may wait in the kernel.
    package var unread: Int32 {
        var count: Int32 = 0
        return ioctl(own, UInt(FIONREAD), &count) == 0 ? count : 0
    }

    /// Returns whether the terminal accepts no further bytes from a program.
    ///
    /// Asking fills it up.
    package var isFull: Bool {
        guard unread > 0 else { return false }
        let writer = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard writer >= 0 else { return false }
        defer { close(writer) }
        return write(writer, "x", 1) < 0 && errno == EAGAIN
    }

    /// The number of bytes shown so far.
    package var position: Int { state.withLock { $0.shown.count } }

    /// Returns true when the text shown from `position` on is enough, or false if the program ends before.
    package func shows(
        from position: Int = 0, _ isEnough: @escaping @Sendable (String) -> Bool
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if Self.check(isEnough, state.shown, position) { return true }
                if state.hasEnded { return false }
                state.waiting.append((isEnough, position, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Reads until the program has ended.
    ///
    /// Returns everything that was shown.
    func drain() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // An error means that every process has closed the other side.
        while case let count = read(own, &chunk, chunk.count), count > 0 || (count < 0 && errno == EINTR) {
            if count > 0 { show(chunk[..<count]) }
        }
        let (shown, waiting) = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return (state.shown, state.waiting)
        }
        for waiter in waiting { waiter.continuation.resume(returning: false) }
        return shown
    }

    private func show(_ bytes: ArraySlice<UInt8>) {
        let satisfied = state.withLock { state in
            state.shown += bytes
            let shown = state.shown
            let satisfied = state.waiting.filter { Self.check($0.isEnough, shown, $0.from) }
            state.waiting.removeAll { Self.check($0.isEnough, shown, $0.from) }
            return satisfied
        }
        for waiter in satisfied { waiter.continuation.resume(returning: true) }
    }

    private static func check(_ isEnough: (String) -> Bool, _ shown: [UInt8], _ position: Int) -> Bool {
        isEnough(String(decoding: shown.dropFirst(position), as: UTF8.self))
    }
}

/// The values of TIOCSPTLCK and TIOCGPTN, which are macros that Swift can't import.
private let setLock: UInt = 0x4004_5431
private let getNumber: UInt = 0x8004_5430
