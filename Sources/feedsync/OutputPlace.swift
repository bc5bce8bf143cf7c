import FeedCore
import Glibc
import SystemFiles

/// Where an output file goes, with symbolic links followed: a link stays, and what it leads to is written.
struct OutputPlace {
    private static let mostLinks = 40

    /// The file itself. It needn't be there.
    let target: String
    /// The file that is there.
    let existing: stat?
    /// The path leads to what a process has open, as /dev/stdout does. A new file in its place would reach nobody.
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
            if Self.isStrangers(found, in: directory ?? ".") {
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

    /// The path itself where it is refused.
    static func target(of path: String) -> String {
        do { return try OutputPlace(path).target } catch { return path }
    }

    static func refused(_ path: String, _ reason: String) -> FeedError {
        .storage(.cannotCreate, "\(path) can't be written: \(reason)")
    }

    /// Anybody can put a file or a link into a directory such as /tmp, to get at what is written or to have it written
    /// elsewhere. The kernel's `protected_symlinks` and `protected_regular` don't see who renames over a file.
    private static func isStrangers(_ file: stat, in directory: String) -> Bool {
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
