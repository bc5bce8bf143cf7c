import FeedCore
import Glibc
import Synchronization
import SystemFiles

/// An open file, pipe or terminal whose other end may block.
///
/// A stopped run stops waiting for it.
struct InterruptibleDescriptor {
    /// The interval at which a wait checks whether the run was stopped, in milliseconds.
    private static let pollInterval: Int32 = 100
    /// The limit `IOV_MAX`, which Swift does not import.
    private static let mostPieces = 1024

    let descriptor: Int32
    /// The time for messages of a stopped run; nil for data, whose rest is then unwanted.
    var gracePeriod: GracePeriod?
    /// Whether to skip all waiting, as if the run were stopped.
    var isHurried = false

    /// Writes a text, and ignores failures: standard error itself is the place to report them.
    func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            do { try write([bytes]) { .storage(.failed, $0) } } catch { return }
        }
    }

    /// Writes the pieces in their order.
    ///
    /// A file takes many pieces at once.
    func write(
        _ pieces: [UnsafeRawBufferPointer], _ failure: (_ reason: String) -> FeedError
    ) throws(FeedError) {
        let isFile = isFile
        let own = isFile ? nil : ownTerminal
        defer { if let own { close(own) } }
        var rest = pieces.filter { !$0.isEmpty }[...]
        while let first = rest.first {
            guard wait(for: POLLOUT) else { throw .cancelled }
            // A ready pipe takes this much without blocking.
            let next = isFile ? rest.prefix(Self.mostPieces) : [.init(rebasing: first.prefix(Int(PIPE_BUF)))]
            let vectors = next.map { piece in
                iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count)
            }
            let written = writev(own ?? descriptor, vectors, Int32(vectors.count))
            if written > 0 {
                Self.drop(written, of: &rest)
            } else if written < 0, errno == EAGAIN {
                guard pause() else { throw .cancelled }
            } else if written < 0, errno != EINTR {
                throw failure(lastError)
            }
        }
    }

    /// Opens the terminal a second time, without blocking: a ready terminal may take less than a whole piece, and the
    /// flags of the original descriptor belong to other processes, too.
    ///
    /// It is nil if this user may not open the terminal, as after `su`.
    private var ownTerminal: Int32? {
        guard isatty(descriptor) == 1, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else { return nil }
        let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own < 0 ? nil : own
    }

    /// Waits for a terminal that is ready but takes nothing, because it has room for only half of a line break.
    ///
    /// It returns false if the run was stopped and its grace period is over.
    private func pause() -> Bool {
        if isStopped {
            guard let gracePeriod, gracePeriod.milliseconds > 0 else { return false }
            gracePeriod.spend(Self.pollInterval)
        }
        usleep(UInt32(Self.pollInterval) * 1000)
        return true
    }

    private var isStopped: Bool { isHurried || Task.isCancelled }

    private static func drop(_ written: Int, of rest: inout ArraySlice<UnsafeRawBufferPointer>) {
        var written = written
        while let first = rest.first, first.count <= written {
            written -= first.count
            rest.removeFirst()
        }
        if written > 0, let first = rest.first { rest[rest.startIndex] = .init(rebasing: first.dropFirst(written)) }
    }

    /// Reads the next bytes, and returns their number, which is 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, _ failure: (_ reason: String) -> FeedError
    ) throws(FeedError) -> Int {
        while true {
            guard wait(for: POLLIN) else { throw .cancelled }
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw failure(lastError) }
        }
    }

    /// Waits until the descriptor is ready or broken.
    ///
    /// It returns false if the run was stopped.
    func wait(for event: Int32) -> Bool {
        while true {
            let isStopped = isStopped
            if isStopped, gracePeriod == nil { return false }
            var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&ready, 1, isStopped ? gracePeriod?.milliseconds ?? 0 : Self.pollInterval)
            if count > 0 || (count < 0 && errno != EINTR) { return true }
            if isStopped, count == 0 {
                gracePeriod?.spend()
                return false
            }
        }
    }

    /// Whether a write succeeds without waiting.
    var isReady: Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) == 1
    }

    private var isFile: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.isFile
    }
}

/// The time that a stopped run grants to the readers of its output.
///
/// All of them share it.
final class GracePeriod: Sendable {
    private let left: Atomic<Int32>

    init(milliseconds: Int32 = 1000) { left = Atomic(milliseconds) }

    var milliseconds: Int32 { left.load(ordering: .relaxed) }

    func spend() { left.store(0, ordering: .relaxed) }

    func spend(_ milliseconds: Int32) {
        // Another thread may have used part of it meanwhile.
        left.min(max(0, self.milliseconds - milliseconds), ordering: .relaxed)
    }
}

/// The message of the last failed system call.
var lastError: String { String(cString: strerror(errno)) }
