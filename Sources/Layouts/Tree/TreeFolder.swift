internal import FeedCore
internal import Glibc
internal import Hashing
internal import SystemFiles

/// The folder of a tree, and those in it. No link in it is followed: it may lead to a person's files.
struct TreeFolder {
    enum State {
        case missing
        /// As a run made it, last modified then.
        case own(Int64)
        /// What a power cut left of a file that was to be made.
        case broken
        case others
    }

    private static let part = "\(TreeList.name).part"

    let root: Descriptor
    /// The folder that was used last.
    private var current: (path: String, folder: Descriptor)?

    init(_ root: Descriptor) { self.root = root }

    /// Nil if it isn't there. Throws where something else is.
    mutating func folder(_ path: String, isToBeMade: Bool = false) throws(SystemError) -> Descriptor? {
        if path.isEmpty { return root }
        if let current, current.path == path { return current.folder }
        var folder = root
        var sofar = ""
        for name in path.split(separator: "/").map(String.init) {
            sofar += sofar.isEmpty ? name : "/\(name)"
            if isToBeMade { mkdirat(folder.number, name, 0o777) }
            let opened = openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if opened < 0, errno == ENOENT { return nil }
            guard opened >= 0 else { throw SystemError("can't be used as a folder", "\(root.path)/\(sofar)") }
            folder = Descriptor(owning: opened, path: "\(root.path)/\(sofar)")
        }
        current = (path, folder)
        return folder
    }

    /// Whether a file is still what a run made.
    mutating func state(of entry: TreeEntry) throws(SystemError) -> State {
        let (path, name) = entry.path.asPlace
        guard let folder = try folder(path) else { return .missing }
        guard let status = try folder.status(of: name) else { return .missing }
        guard status.isFile else { return .others }
        if entry.modified == nil, status.st_size == 0 { return .broken }
        guard status.st_size == entry.size else { return .others }
        // Some file systems know no less than two seconds.
        if let modified = entry.modified, abs(status.modified - modified) <= 2_000_000 { return .own(modified) }
        // The tree may have been copied, or another program have set the time; or a killed run didn't come to note it.
        return try digest(of: name, in: folder, size: entry.size) == entry.digest ? .own(status.modified) : .others
    }

    private func digest(of name: String, in folder: Descriptor, size: Int64) throws(SystemError) -> Digest? {
        let opened = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        let bytes = try Descriptor(owning: opened, name, in: folder).read(Int(size))
        do { return try SHA256.digest(of: bytes) } catch { throw SystemError(EIO, error.message, name) }
    }

    func names(in folder: Descriptor) throws(SystemError) -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name, _ in names.append(String(cString: name)) }
        return names
    }

    mutating func remove(_ path: String) throws(SystemError) {
        let (above, name) = path.asPlace
        guard let folder = try folder(above) else { return }
        guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("can't be deleted", "\(root.path)/\(path)")
        }
    }

    /// False where something is in it, or where it isn't a folder any more.
    mutating func removeFolder(_ path: String) throws(SystemError) -> Bool {
        let (above, name) = path.asPlace
        current = nil
        guard let folder = try folder(above) else { return true }
        return unlinkat(folder.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT
    }

    /// Puts a file that `place` makes under a hidden name in its place. Returns when it was modified; nil where somebody
    /// has put something there meanwhile.
    func put(
        _ name: String, in folder: Descriptor, dated date: Timestamp,
        by place: (_ path: String) throws(FeedError) -> ImagePlacement
    ) throws(FeedError) -> Int64? {
        let part = Self.part
        let placement = try place("\(root.path)/\(part)")
        do throws(SystemError) {
            if placement != .link { try root.date(part, date) }
            guard let status = try root.status(of: part) else {
                throw SystemError(ENOENT, "is gone", "\(root.path)/\(part)")
            }
            try root.rename(part, to: name, in: folder)
            return status.modified
        } catch let error where error.code == EEXIST {
            clearPart()
            return nil
        } catch {
            throw error.ofTree
        }
    }

    /// What a killed run left under the hidden name goes.
    func clearPart() { unlinkat(root.number, Self.part, 0) }
}

extension SystemError {
    var ofTree: FeedError { .storage(.failed, "writing the tree failed: \(message)") }

    /// Where there is no place for it.
    var ofTreesPlace: FeedError { .storage(.cannotCreate, "the tree can't be written: \(message)") }
}

extension stat {
    fileprivate var modified: Int64 { Int64(st_mtim.tv_sec) * 1_000_000 + Int64(st_mtim.tv_nsec) / 1000 }
}

extension Descriptor {
    fileprivate func date(_ name: String, _ date: Timestamp) throws(SystemError) {
        var (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest * 1000))
        guard utimensat(number, name, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw SystemError("can't be dated", "\(path)/\(name)")
        }
    }
}

extension String {
    /// The folder, and the name in it.
    var asPlace: (folder: String, name: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", self) }
        return (String(self[..<slash]), String(self[index(after: slash)...]))
    }
}
