internal import CChild
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// The program `vipsthumbnail`, which decodes images that may be hostile in child processes without sockets.
final class VipsThumbnail: Sendable {
    enum Outcome: Hashable {
        /// The program made whatever it could.
        case ended(hasComplaints: Bool)
        /// A signal ended the program before it was done: the signal of a limit, of a crash, or of `endAll`.
        case died
        /// The program could not even begin: it, or one of its libraries, is missing or broken.
        case unusable
    }

    private struct Children {
        var running: Set<pid_t> = []
        var areOver = false
    }

    private static let name = "vipsthumbnail"
    private static let limits = feedsync_limits(memory: 1 << 30, file_size: 16 << 20, seconds: 10)
    /// What a decoder says about a file that ends too early. What it made of such a file is not the image.
    private static let complaints = ["remature end", "not enough data", "nexpected end"]
    /// How a shell, and a child of ours, says that a program can't be run.
    private static let notRun: Set<Int32> = [126, 127]

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

    /// Returns why hostile images can't be decoded safely on this system; nil if they can.
    static var confinementFailure: FeedError? {
        guard feedsync_can_confine() == 0 else { return nil }
        return .connectivity(
            "no thumbnails can be made: this system has no seccomp filter to keep vipsthumbnail offline"
        )
        .hinting("--thumbnails never does without them")
    }

    /// Makes `NAME.webp` of each file `NAME` in the directory, and returns when that is done.
    func run(on names: [String], in directory: Descriptor) throws(SystemError) -> Outcome {
        let messages = try directory.makeUnnamedFile()
        // More effort makes files a twentieth smaller and takes a fifth longer. `strip` differs from version to version:
        // what has to go is removed from the results.
        let options = ["--size", "480x480>", "--vips-concurrency", "1"]
        let arguments = [program] + options + ["--output", "%s.webp[Q=75,effort=2]"] + names
        guard let status = try wait(arguments, in: directory, messages) else { return .died }
        if status & 0x7F != 0 { return .died }
        if Self.notRun.contains(status >> 8) { return .unusable }
        let text = String(decoding: try messages.read(1 << 20), as: UTF8.self)
        return .ended(hasComplaints: Self.complaints.contains { text.contains($0) })
    }

    /// Ends the programs that run now, with all that they have started. No other is started any more.
    func endAll() {
        children.withLock { children in
            children.areOver = true
            children.running.forEach(Self.kill)
        }
    }

    /// Returns the status with which the program ended; nil if `endAll` came first.
    private func wait(
        _ arguments: [String], in directory: Descriptor, _ messages: Descriptor
    ) throws(SystemError) -> Int32? {
        let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/", "TMPDIR=.", "VIPS_BLOCK_UNTRUSTED=1"]
        let child: pid_t? = withPointers(to: arguments) { arguments in
            withPointers(to: environment) { environment in
                var limits = Self.limits
                return children.withLock { children in
                    guard !children.areOver else { return nil }
                    let child = feedsync_start_confined(
                        program, arguments, environment, directory.number, messages.number, &limits)
                    children.running.insert(child)
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
        // What the program started does not outlive it. Until the program is reaped, its number is nobody else's.
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

    /// Ends a child and its group, which it may not have made yet.
    private static func kill(_ child: pid_t) {
        Glibc.kill(-child, SIGKILL)
        Glibc.kill(child, SIGKILL)
    }
}

/// Lends texts as C has them. The pointers are valid until `body` returns.
private func withPointers<Outcome>(
    to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Outcome
) -> Outcome {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

extension Descriptor {
    /// Makes a file for reading and writing that goes with its descriptor.
    fileprivate func makeUnnamedFile() throws(SystemError) -> Descriptor {
        let name = ".messages-\(UInt64.random(in: 0...UInt64.max))"
        let made = try open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND, mode: 0o600)
        unlinkat(number, name, 0)
        return made
    }
}
