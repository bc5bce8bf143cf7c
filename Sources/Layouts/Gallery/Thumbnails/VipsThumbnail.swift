internal import CChild
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// The program `vipsthumbnail`.
///
/// It decodes images, which may be hostile, in child processes without sockets.
final class VipsThumbnail: Sendable {
    enum Outcome: Hashable {
        /// The program ran to its end and made the thumbnails that it could make.
        case ended(hasComplaints: Bool)
        /// A signal ended the program early: that of a limit, of a crash, or of `endAll`.
        case died
        /// The program failed to start, because it or one of its libraries is missing or broken.
        case unusable
    }

    private struct Children {
        var running: Set<pid_t> = []
        var areEnded = false
    }

    private static let name = "vipsthumbnail"
    private static let limits = feedsync_limits(memory: 1 << 30, file_size: 16 << 20, seconds: 10)
    /// Messages of decoders about a file that ends too early.
    ///
    /// A thumbnail of such a file would show only a part of the image.
    private static let complaints = ["remature end", "not enough data", "nexpected end"]
    /// The exit codes by which a shell, or a child of feedsync, says that it can't run a program.
    private static let startFailures: Set<Int32> = [126, 127]

    private let program: String
    private let children = Mutex(Children())

    /// Returns nil if the program is not installed.
    init?(searching path: String?) {
        let directories = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
        let candidates = directories.map { "\($0)/\(Self.name)" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
        program = found
    }

    var unusable: FeedError {
        .connectivity("no thumbnails can be made: \(program) doesn't run").hinting("try it by hand, or install it anew")
    }

    /// The reason why this system can't decode hostile images safely; nil if it can.
    static var confinementFailure: FeedError? {
        guard feedsync_can_confine() == 0 else { return nil }
        return .connectivity(
            "no thumbnails can be made: this system has no seccomp filter to keep vipsthumbnail offline"
        )
        .hinting("--thumbnails never does without them")
    }

    /// Makes the thumbnails `NAME.webp` and `NAME.960.webp` of each file `NAME` in the directory.
    ///
    /// Returns when the program has ended.
    func run(on names: [String], in directory: Descriptor) throws(SystemError) -> Outcome {
        var hasComplaints = false
        for size in ThumbnailSize.allCases {
            let outcome = try run(on: names, size, in: directory)
            guard case .ended(let complaints) = outcome else { return outcome }
            hasComplaints = hasComplaints || complaints
        }
        return .ended(hasComplaints: hasComplaints)
    }

    private func run(
        on names: [String], _ size: ThumbnailSize, in directory: Descriptor
    ) throws(SystemError) -> Outcome {
        let messages = try directory.makeUnnamedFile()
        // A higher effort makes files 5 % smaller and takes 20 % longer. Metadata is removed from the results
        // afterwards, because the option `strip` differs from version to version.
        let options = ["--size", "\(size.rawValue)x\(size.rawValue)>", "--vips-concurrency", "1"]
        let arguments = [program] + options + ["--output", "%s\(size.suffix)[Q=75,effort=2]"] + names
        guard let status = try wait(arguments, in: directory, messages) else { return .died }
        if status & 0x7F != 0 { return .died }
        if Self.startFailures.contains(status >> 8) { return .unusable }
        let text = String(decoding: try messages.read(1 << 20), as: UTF8.self)
        return .ended(hasComplaints: Self.complaints.contains { text.contains($0) })
    }

    /// Ends all running programs with the processes that they have started, and prevents further ones from starting.
    func endAll() {
        children.withLock { children in
            children.areEnded = true
            children.running.forEach(Self.kill)
        }
    }

    /// Runs the program.
    ///
    /// Returns the status with which it ended; nil if `endAll` came first.
    private func wait(
        _ arguments: [String], in directory: Descriptor, _ messages: Descriptor
    ) throws(SystemError) -> Int32? {
        let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/", "TMPDIR=.", "VIPS_BLOCK_UNTRUSTED=1"]
        let child: pid_t? = withPointers(to: arguments) { arguments in
            withPointers(to: environment) { environment in
                var limits = Self.limits
                return children.withLock { children in
                    guard !children.areEnded else { return nil }
                    let child = feedsync_start_confined(
                        program, arguments, environment, directory.number, messages.number, &limits)
                    if child > 0 { children.running.insert(child) }
                    return child
                }
            }
        }
        guard let child else { return nil }
        guard child > 0 else { throw SystemError("can't be run", program) }
        if feedsync_await(child, Int32(Self.limits.seconds) * 1000) == 0 {
            Self.kill(child)
            _ = feedsync_await(child, -1)
        }
        // The processes that the program started end with it. Its process id stays reserved until `waitpid`.
        children.withLock { children in
            Self.kill(child)
            children.running.remove(child)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError("can't be waited for", program) }
        }
        return status
    }

    /// Ends a child and its process group.
    ///
    /// The child is named separately, because it may not have made the group yet.
    private static func kill(_ child: pid_t) {
        Glibc.kill(-child, SIGKILL)
        Glibc.kill(child, SIGKILL)
    }
}

/// Calls `body` with pointers to the texts as C strings.
///
/// The pointers are valid until `body` returns.
private func withPointers<Outcome>(
    to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Outcome
) -> Outcome {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

extension Descriptor {
    /// Makes a file for reading and writing that exists only as long as its descriptor.
    fileprivate func makeUnnamedFile() throws(SystemError) -> Descriptor {
        let name = ".messages-\(UInt64.random(in: 0...UInt64.max))"
        let made = try open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND, mode: 0o600)
        unlinkat(number, name, 0)
        return made
    }
}
