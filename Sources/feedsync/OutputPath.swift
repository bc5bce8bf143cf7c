import FeedCore
import Glibc
import SystemFiles

/// Where an output file goes. Symbolic links are followed here, so that they stay, also if nothing is there yet.
struct OutputPath {
    /// Has no links in it but those whose text is not UTF-8 and can't be kept as it is: such a link itself is replaced.
    private(set) var target = ""
    /// What is there.
    private(set) var existing: stat?
    /// Whether the path names what somebody has open, as /dev/stdout does. A path of its own would lead to the file that
    /// was opened: to its beginning, or to nothing if it was deleted meanwhile.
    private(set) var isOpen = false
    /// The descriptor, where it is we who have it.
    private(set) var descriptor: Int32?
    /// Why nothing may be written there.
    private(set) var refusal: String?

    init(_ path: String) {
        var linksLeft = 40
        var steps = Self.steps(of: path)
        var way: String?
        while refusal == nil, !isOpen, let step = steps.popLast() {
            let folder = way
            target = folder.map { "\($0)/\(step)" } ?? step
            way = target
            guard let link = examineTarget(isLast: steps.isEmpty) else { continue }
            if linksLeft == 0 { refusal = String(cString: strerror(ELOOP)) }
            linksLeft -= 1
            way = FilePath.isAbsolute(link) ? nil : folder
            steps += Self.steps(of: link)
        }
    }

    /// Answers with the text of a link that is to be followed.
    private mutating func examineTarget(isLast: Bool) -> String? {
        var found = stat()
        guard lstat(target, &found) == 0 else {
            if isLast, errno != ENOENT { refusal = lastError }
            return nil
        }
        guard isLast || found.isLink else { return nil }
        if Self.isStrangers(found, at: target) {
            refusal = "\(target) is another user's, in a folder that others may write to"
        } else if !found.isLink {
            existing = found
        } else if isLast, Self.isDescriptor(target) {
            takeDescriptor()
        } else if let link = Self.text(ofLink: target) {
            return link
        } else if isLast {
            existing = Self.status(of: target)
        }
        return nil
    }

    private mutating func takeDescriptor() {
        isOpen = true
        existing = Self.status(of: target)
        if existing == nil { refusal = lastError }
        guard let number = Self.ownDescriptor(target) else { return }
        if HandedOnDescriptors.all.contains(number), fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY {
            descriptor = number
        } else {
            refusal = "it is not open for writing"
        }
    }

    /// The path has no link in it but the last.
    private static func isDescriptor(_ link: String) -> Bool {
        FilePath.folder(of: link).flatMap(RealPath.found).map { $0.hasPrefix("/proc/") && $0.hasSuffix("/fd") } ?? false
    }

    private static func ownDescriptor(_ link: String) -> Int32? {
        guard let own = RealPath.found("/proc/self"), let folder = FilePath.folder(of: link).flatMap(RealPath.found),
            folder.hasPrefix("\(own)/")
        else { return nil }
        return FilePath.names(in: link).last.flatMap { Int32($0) }
    }

    /// The last one first. Empty ones stay: a slash at the end asks for a folder.
    private static func steps(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).reversed().map {
            String(Substring($0))
        }
    }

    /// What anybody could have put there to get at what we write, or to have us write elsewhere. The kernel refuses it
    /// where `protected_symlinks` and `protected_regular` are set, but not to who resolves a link, or renames over a file.
    private static func isStrangers(_ file: stat, at path: String) -> Bool {
        guard file.st_uid != geteuid(), let folder = status(of: FilePath.folder(of: path) ?? ".") else { return false }
        return folder.st_mode & S_ISVTX != 0 && folder.st_mode & 0o022 != 0 && folder.st_uid != file.st_uid
    }

    private static func text(ofLink path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &text, text.count)
        return count > 0 ? String(validating: text[..<count], as: UTF8.self) : nil
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
