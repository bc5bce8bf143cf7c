import FeedCore
import Glibc
import Synchronization
import SystemFiles

/// An open file, pipe or terminal, at whose other end somebody may keep us waiting. A run that is stopped doesn't wait.
struct InterruptibleDescriptor {
    /// How soon who waits notices that the run was stopped.
    private static let notice: Int32 = 100
    /// `IOV_MAX`, which Swift does not import.
    private static let mostPieces = 1024

    let descriptor: Int32
    /// A run that was stopped has it for what it says of that. Nil for data: nobody wants the rest of it then.
    var gracePeriod: GracePeriod?
    /// There is no time to wait, as if the run were stopped.
    var isHurried = false

    /// For text that nobody can be told of if it can't be written: who would see that doesn't see the text either.
    func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            do { try write([bytes]) { .storage(.failed, $0) } } catch { return }
        }
    }

    /// Writes the pieces one behind the other, to a file as many as possible at once.
    func write(
        _ pieces: [UnsafeRawBufferPointer], _ failure: (_ reason: String) -> FeedError
    ) throws(FeedError) {
        let isFile = isFile
        let own = isFile ? nil : ownTerminal
        defer { if let own { close(own) } }
        var rest = pieces.filter { !$0.isEmpty }[...]
        while let first = rest.first {
            guard wait(for: POLLOUT) else { throw .cancelled }
            // No more at once than a pipe that is ready takes without blocking.
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

    /// A terminal takes less without blocking than its being ready says. Others have it open too, and their end is not to
    /// be changed: this is the same terminal, opened once more. Nil where it isn't ours to open, as after `su`.
    private var ownTerminal: Int32? {
        guard isatty(descriptor) == 1, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else { return nil }
        let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own < 0 ? nil : own
    }

    /// Waits where a terminal is ready and takes nothing, as one with room for half of a line's end. False if the run was
    /// stopped and has no time left.
    private func pause() -> Bool {
        if isStopped {
            guard let gracePeriod, gracePeriod.milliseconds > 0 else { return false }
            gracePeriod.spend(Self.notice)
        }
        usleep(UInt32(Self.notice) * 1000)
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

    /// The next bytes; 0 at the end.
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

    /// True when there is something to be done with it, if only to find that it is broken; false if the run was stopped.
    func wait(for event: Int32) -> Bool {
        while true {
            let isStopped = isStopped
            if isStopped, gracePeriod == nil { return false }
            var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&ready, 1, isStopped ? gracePeriod?.milliseconds ?? 0 : Self.notice)
            if count > 0 || (count < 0 && errno != EINTR) { return true }
            if isStopped, count == 0 {
                gracePeriod?.spend()
                return false
            }
        }
    }

    /// Whether there is no need to wait before something is written.
    var isReady: Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) == 1
    }

    private var isFile: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.isFile
    }
}

/// The moment that a stopped run waits for readers of what it did. It is used up once, by all of them together.
final class GracePeriod: Sendable {
    private let left: Atomic<Int32>

    init(milliseconds: Int32 = 1000) { left = Atomic(milliseconds) }

    var milliseconds: Int32 { left.load(ordering: .relaxed) }

    func spend() { left.store(0, ordering: .relaxed) }

    func spend(_ milliseconds: Int32) {
        // Another thread may have used up more of it meanwhile.
        left.min(max(0, self.milliseconds - milliseconds), ordering: .relaxed)
    }
}

/// Why the last system call failed.
var lastError: String { String(cString: strerror(errno)) }
