internal import CChild
internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The program that makes thumbnails, run on files that may be anybody's.
struct VipsThumbnail: Sendable {
    enum Outcome: Hashable {
        /// Whatever it could make is there.
        case ended(hasComplaints: Bool)
        /// It ended before all were made; a signal that a person sent may have been the cause.
        case died(wasStopped: Bool)
        /// It could not even begin: it, or a library of its, is not as it should be.
        case unusable
    }

    private static let name = "vipsthumbnail"
    /// Twice what the largest picture takes that isn't passed over.
    private static let limits = feedsync_limits(memory: 2 << 30, file_size: 16 << 20, seconds: 60)
    /// What a decoder says of a file that ends too early. What it made of that is not the picture.
    private static let complaints = ["remature end", "not enough data", "nexpected end"]

    /// What a shell says of a program that it can't run, and so do we.
    private static let notRun: Set<Int32> = [126, 127]

    private let program: String

    /// Nil where it isn't installed.
    init?(searching path: String?) {
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
        let places = folders.map { folder in "\(folder)/\(Self.name)" }
        guard let found = places.first(where: { place in access(place, X_OK) == 0 }) else { return nil }
        program = found
    }

    /// Makes `NAME.webp` of each file `NAME` in the folder. Returns when it is done.
    func run(on names: [String], in folder: Descriptor) throws(SystemError) -> Outcome {
        let said = try folder.makeUnnamedFile()
        // More effort makes files a twentieth smaller and takes a fifth longer. Its `strip` takes away other things in each
        // version: what has to go is taken from what it made.
        let options = ["--size", "480x480>", "--vips-concurrency", "1"]
        let arguments = [program] + options + ["--output", "%s.webp[Q=75,effort=2]"] + names
        let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/", "TMPDIR=.", "VIPS_BLOCK_UNTRUSTED=1"]
        let child = withPointers(to: arguments) { arguments in
            withPointers(to: environment) { environment in
                var limits = Self.limits
                return feedsync_start_confined(program, arguments, environment, folder.number, said.number, &limits)
            }
        }
        guard child > 0 else { throw SystemError("can't be run", program) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError("can't be waited for", program) }
        }
        let signal = status & 0x7F
        if signal != 0 { return .died(wasStopped: [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal)) }
        if Self.notRun.contains(status >> 8) { return .unusable }
        let text = String(decoding: try said.read(1 << 20), as: UTF8.self)
        return .ended(hasComplaints: Self.complaints.contains { text.contains($0) })
    }
}

extension VipsThumbnail {
    var unusable: FeedError {
        .connectivity("no thumbnails can be made: \(program) doesn't run").hinting("try it by hand, or install it anew")
    }
}

/// As C has lists of texts. The pointers hold until `body` returns.
private func withPointers<Outcome>(
    to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Outcome
) -> Outcome {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

extension Descriptor {
    /// For reading and writing; it goes with the descriptor.
    fileprivate func makeUnnamedFile() throws(SystemError) -> Descriptor {
        let name = ".said-\(UInt64.random(in: 0...UInt64.max))"
        let opened = openat(number, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
        unlinkat(number, name, 0)
        return Descriptor(owning: opened, path: "\(path)/\(name)")
    }
}
