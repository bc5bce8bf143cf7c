import FeedCore
import Glibc
import SystemFiles

/// A file in the making: it takes its place whole, and a run that fails leaves nothing. It has no name until then where
/// the file system knows that; else, and for a moment where it replaces a file, it has a hidden one that a run which is
/// killed leaves. What is there and is no regular file (a terminal, a pipe, /dev/null), or open (/dev/stdout), is written to
/// as it is.
final class FileReplacement: ByteTarget {
    private enum Place {
        /// Written to as it is.
        case existing
        /// Not to be seen in any folder.
        case unnamed(target: String)
        /// Where the file system knows no files without a name.
        case temporary(String, target: String)
    }

    /// O_TMPFILE is a macro that Swift does not import.
    private static let withoutName = 0o20000000 | O_DIRECTORY

    private let path: String
    private let place: Place
    private let descriptor: Int32
    private let patience: Patience?

    /// Without `patience`, writing throws `cancelled` in a task that was.
    init(path: String, patience: Patience? = nil) throws(FeedError) {
        self.path = path
        self.patience = patience
        let output = OutputPath(path)
        if let refusal = output.refusal { throw Self.cannotCreate(path, refusal) }
        if let given = output.descriptor {
            place = .existing
            descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw Self.cannotCreate(path, lastError) }
        } else if let existing = output.existing, output.isOpen || !existing.isFile {
            if existing.isFolder { throw Self.cannotCreate(path, "it is a folder") }
            place = .existing
            descriptor = try Self.openExisting(path, existing, at: output.target)
        } else {
            (descriptor, place) = try Self.make(path, at: output.target)
            // Who could read or write the old file can do so with the new one, and nobody else can.
            if let old = output.existing, !old.handRights(0o777, to: descriptor) { throw failed(lastError) }
        }
    }

    deinit {
        // After the file took its place there is nothing of that name.
        if case .temporary(let name, _) = place { unlink(name) }
        close(descriptor)
    }

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try Channel(descriptor: descriptor, patience: patience).write(pieces, failed)
    }

    func commit() throws(FeedError) {
        switch place {
        case .existing: return
        case .unnamed(let target):
            try synchronise()
            let own = "/proc/self/fd/\(descriptor)"
            if linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return }
            guard errno == EEXIST else { throw Self.cannotCreate(path, lastError) }
            // A link can't replace a file, and a name can.
            let (name, _) = try Self.makeHidden(beside: target, for: path) { name in
                linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
            }
            guard rename(name, target) == 0 else {
                let reason = lastError
                unlink(name)
                throw Self.cannotCreate(path, reason)
            }
        case .temporary(let name, let target):
            try synchronise()
            guard rename(name, target) == 0 else { throw Self.cannotCreate(path, lastError) }
        }
    }

    private func synchronise() throws(FeedError) {
        guard fsync(descriptor) == 0 else { throw failed(lastError) }
    }

    /// Waits for somebody to read from a pipe, though not when the run is stopped.
    private static func openExisting(_ path: String, _ status: stat, at target: String) throws(FeedError) -> Int32 {
        let isPipe = status.st_mode & S_IFMT == S_IFIFO
        while true {
            // Of a file that another process has open nobody knows where in it that writes.
            let descriptor = open(target, O_WRONLY | (status.isFile ? O_APPEND : 0) | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            guard isPipe, errno == ENXIO else { throw cannotCreate(path, lastError) }
            if Task.isCancelled { throw .cancelled }
            usleep(100_000)
        }
    }

    private static func make(_ path: String, at target: String) throws(FeedError) -> (Int32, Place) {
        let folder = folder(of: target)
        if access("/proc/self/fd", X_OK) == 0 {
            let descriptor = open(folder, O_WRONLY | withoutName | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (descriptor, .unnamed(target: target)) }
        }
        let (name, descriptor) = try makeHidden(beside: target, for: path) { name in
            open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        return (descriptor, .temporary(name, target: target))
    }

    /// Gives `make` a name until it finds one that nothing has, and answers with that and what `make` did.
    private static func makeHidden(
        beside target: String, for path: String, _ make: (String) -> Int32
    ) throws(FeedError) -> (name: String, made: Int32) {
        var triesLeft = 100
        while true {
            // Process numbers are the same in every container. Not made of the target's name, which may be as long as a
            // name can be.
            let name = "\(folder(of: target))/.feedsync-\(UInt64.random(in: 0 ... .max))"
            let made = make(name)
            if made >= 0 { return (name, made) }
            triesLeft -= 1
            guard errno == EEXIST, triesLeft > 0 else { throw cannotCreate(path, lastError) }
        }
    }

    private static func folder(of target: String) -> String { FilePath.folder(of: target) ?? "." }

    private static func cannotCreate(_ path: String, _ reason: String) -> FeedError {
        .storage(.cannotCreate, "\(path) can't be written: \(reason)")
    }

    private func failed(_ reason: String) -> FeedError {
        .storage(.failed, "writing \(path) failed: \(reason)")
    }
}
