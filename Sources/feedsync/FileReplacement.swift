import FeedCore
import Glibc
import SystemFiles

/// An output file. A regular file is written beside and takes its place whole, and a run that fails leaves nothing of it.
/// Anything else (a terminal, a pipe, /dev/null, /dev/stdout) is written through.
final class FileReplacement: ByteTarget {
    /// O_TMPFILE is a macro that Swift does not import.
    private static let withoutName = 0o20000000 | O_DIRECTORY

    private let path: String
    private let descriptor: Int32
    private let patience: GracePeriod?
    /// Where the new file is written, and where it goes; nil where it is written through.
    private let beside: (hidden: String, target: String)?
    /// The new file has its hidden name already: the file system knows no files without one.
    private let isNamed: Bool

    /// Without `patience`, writing throws `cancelled` in a task that was.
    init(path: String, patience: GracePeriod? = nil) throws(FeedError) {
        self.path = path
        self.patience = patience
        let place = try OutputPlace(path)
        if let existing = place.existing, place.isOpen || !existing.isFile {
            if existing.isDirectory { throw OutputPlace.refused(path, "it is a directory") }
            (beside, isNamed) = (nil, false)
            descriptor = try Self.openExisting(path, existing, at: place.target)
            return
        }
        let directory = FilePath.directory(of: place.target) ?? "."
        // Process numbers are the same in every container, and the target's name may be as long as a name can be.
        let hidden = "\(directory)/.feedsync-\(UInt64.random(in: 0 ... .max))"
        beside = (hidden, place.target)
        let unnamed = open(directory, O_WRONLY | Self.withoutName | O_CLOEXEC, 0o666)
        isNamed = unnamed < 0
        descriptor =
            isNamed ? open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) : unnamed
        guard descriptor >= 0 else { throw OutputPlace.refused(path, lastError) }
        // Users who could read or write the old file can do so with the new one, and nobody else can.
        if let old = place.existing, !old.handRights(0o777, to: descriptor) { throw failed(lastError) }
    }

    deinit {
        // After the rename there is nothing of that name.
        if isNamed, let beside { unlink(beside.hidden) }
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try InterruptibleDescriptor(descriptor: descriptor, patience: patience).write(pieces, failed)
    }

    func commit() throws(FeedError) {
        guard let (hidden, target) = beside else { return }
        guard fsync(descriptor) == 0 else { throw failed(lastError) }
        let own = "/proc/self/fd/\(descriptor)"
        // A link can't replace a file, and a name can.
        guard isNamed || linkat(AT_FDCWD, own, AT_FDCWD, hidden, AT_SYMLINK_FOLLOW) == 0 else {
            throw OutputPlace.refused(path, lastError)
        }
        guard rename(hidden, target) == 0 else {
            let reason = lastError
            unlink(hidden)
            throw OutputPlace.refused(path, reason)
        }
    }

    private func failed(_ reason: String) -> FeedError {
        .storage(.failed, "writing \(path) failed: \(reason)")
    }

    private static func openExisting(_ path: String, _ existing: stat, at target: String) throws(FeedError) -> Int32 {
        // A copy shares its position: what others write there comes behind.
        for own in [STDOUT_FILENO, STDERR_FILENO] {
            var status = stat()
            if existing.isFile, fstat(own, &status) == 0, status.isSame(as: existing) {
                let copy = fcntl(own, F_DUPFD_CLOEXEC, 0)
                if copy >= 0 { return copy }
            }
        }
        while true {
            let descriptor = open(target, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            // A pipe that nobody reads from yet is waited for, though not when the run is stopped.
            guard existing.st_mode & S_IFMT == S_IFIFO, errno == ENXIO else {
                throw OutputPlace.refused(path, lastError)
            }
            if Task.isCancelled { throw .cancelled }
            usleep(100_000)
        }
    }
}
