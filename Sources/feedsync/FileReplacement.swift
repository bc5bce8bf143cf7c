import FeedCore
import Glibc
import SystemFiles

/// An output file.
///
/// A regular file is written under a temporary name and then replaces the old file, so that a failed run leaves the old
/// file. Other files (a terminal, a pipe, /dev/null, /dev/stdout) are written directly.
final class FileReplacement: ByteTarget {
    /// The flag O_TMPFILE, a macro that Swift does not import.
    private static let unnamedFile = 0o20000000 | O_DIRECTORY

    private let path: String
    private let descriptor: Int32
    private let gracePeriod: GracePeriod?
    /// The temporary path and the final path; nil for a file that is written directly.
    private let replacement: (temporary: String, target: String)?
    /// Whether the new file already has its temporary name, because the file system lacks unnamed files.
    private let isNamed: Bool

    /// Opens the file.
    ///
    /// Without `gracePeriod`, writing throws `cancelled` in a cancelled task.
    init(path: String, gracePeriod: GracePeriod? = nil) throws(FeedError) {
        self.path = path
        self.gracePeriod = gracePeriod
        let output = try OutputPath(path)
        if let existing = output.existing, output.isOpen || !existing.isFile {
            if existing.isDirectory { throw OutputPath.refused(path, "it is a directory") }
            (replacement, isNamed) = (nil, false)
            descriptor = try Self.openExisting(path, existing, at: output.target)
            return
        }
        let directory = FilePath.directory(of: output.target) ?? "."
        // A random name avoids clashes between containers, whose process numbers repeat. The target's own name may
        // already have the longest permitted length.
        let temporary = "\(directory)/.feedsync-\(UInt64.random(in: 0 ... .max))"
        replacement = (temporary, output.target)
        let unnamed = open(directory, O_WRONLY | Self.unnamedFile | O_CLOEXEC, 0o666)
        isNamed = unnamed < 0
        descriptor =
            isNamed ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) : unnamed
        guard descriptor >= 0 else { throw OutputPath.refused(path, lastError) }
        // The new file gets the permissions of the old one.
        if let old = output.existing, !old.handRights(0o777, to: descriptor) { throw failed(lastError) }
    }

    deinit {
        // After the rename, the temporary name is gone.
        if isNamed, let replacement { unlink(replacement.temporary) }
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try InterruptibleDescriptor(descriptor: descriptor, gracePeriod: gracePeriod).write(pieces, failed)
    }

    func commit() throws(FeedError) {
        guard let (temporary, target) = replacement else { return }
        guard fsync(descriptor) == 0 else { throw failed(lastError) }
        let own = "/proc/self/fd/\(descriptor)"
        // Unlike a rename, a link cannot replace a file.
        guard isNamed || linkat(AT_FDCWD, own, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else {
            throw OutputPath.refused(path, lastError)
        }
        guard rename(temporary, target) == 0 else {
            let reason = lastError
            unlink(temporary)
            throw OutputPath.refused(path, reason)
        }
    }

    private func failed(_ reason: String) -> FeedError {
        .storage(.failed, "writing \(path) failed: \(reason)")
    }

    private static func openExisting(_ path: String, _ existing: stat, at target: String) throws(FeedError) -> Int32 {
        // A duplicate shares its position, so that later output is appended.
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
            // A pipe without a reader is waited for, until the run is stopped.
            guard existing.st_mode & S_IFMT == S_IFIFO, errno == ENXIO else {
                throw OutputPath.refused(path, lastError)
            }
            if Task.isCancelled { throw .cancelled }
            usleep(100_000)
        }
    }
}

/// The destination of an output file after following symbolic links: a link is kept, and its target is replaced.
struct OutputPath {
    private static let mostLinks = 40

    /// The path of the file, which may be missing.
    let target: String
    /// The status of the existing file, or nil.
    let existing: stat?
    /// Whether the path leads to a file that a process has open, as /dev/stdout does.
    ///
    /// A new file under that name would reach no reader.
    let isOpen: Bool

    init(_ path: String) throws(FeedError) {
        var target = path
        for _ in 0..<Self.mostLinks {
            var found = stat()
            guard lstat(target, &found) == 0 else {
                guard errno == ENOENT else { throw Self.refused(path, lastError) }
                (self.target, existing, isOpen) = (target, nil, false)
                return
            }
            let directory = FilePath.directory(of: target)
            if Self.isOwnedByStranger(found, in: directory ?? ".") {
                throw Self.refused(path, "\(target) is another user's, in a directory that others may write to")
            }
            let isOpen = RealPath.found(directory ?? ".")?.hasPrefix("/proc/") == true
            guard found.isLink, !isOpen else {
                if isOpen, stat(target, &found) != 0 { throw Self.refused(path, lastError) }
                (self.target, existing, self.isOpen) = (target, found, isOpen)
                return
            }
            let link = try Self.text(ofLink: target, path)
            target = directory.map { FilePath.absolute(link, in: $0) } ?? link
        }
        throw Self.refused(path, String(cString: strerror(ELOOP)))
    }

    /// Returns the target, or the path itself if it is refused.
    static func target(of path: String) -> String {
        do { return try OutputPath(path).target } catch { return path }
    }

    static func refused(_ path: String, _ reason: String) -> FeedError {
        .storage(.cannotCreate, "\(path) can't be written: \(reason)")
    }

    /// Returns whether another user owns the file in a shared directory such as /tmp.
    ///
    /// Such a file or link could capture or redirect the output, and the kernel's `protected_symlinks` and
    /// `protected_regular` ignore renames.
    private static func isOwnedByStranger(_ file: stat, in directory: String) -> Bool {
        var status = stat()
        guard file.st_uid != geteuid(), stat(directory, &status) == 0 else { return false }
        return status.st_mode & S_ISVTX != 0 && status.st_mode & 0o022 != 0 && status.st_uid != file.st_uid
    }

    private static func text(ofLink link: String, _ path: String) throws(FeedError) -> String {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &text, text.count)
        guard count > 0 else { throw refused(path, lastError) }
        guard let text = String(validating: text[..<count], as: UTF8.self) else {
            throw refused(path, "the link \(link) leads to a path that is not UTF-8 text")
        }
        return text
    }
}
