internal import FeedCore
internal import Glibc
internal import Hashing
internal import SystemFiles

/// The digest and size of a file, by which two files are compared.
struct FileContent: Hashable {
    let digest: Digest
    let size: Int64
}

/// The time of a file's last change, as exactly as its file system knows it.
struct FileTime: Hashable {
    let seconds: Int
    let nanoseconds: Int
}

extension stat {
    var modified: FileTime { FileTime(seconds: st_mtim.tv_sec, nanoseconds: st_mtim.tv_nsec) }
}

/// A file that feedsync made in an output directory.
struct OwnFile: Hashable {
    let content: FileContent
    var modified: FileTime
}

/// The list of the files that feedsync made in one output directory.
///
/// A run writes the list twice: with its planned files before it makes them, and with its own files afterwards. The
/// next run therefore recognises the files even of a killed run. The list may come from another user's cache, so every
/// line is checked: each path in it leads to a file inside the output directory.
struct OutputList {
    /// What is known about one path.
    struct Entry {
        /// The file that the last run left there.
        var own: OwnFile?
        /// The content that a run was about to give the file; the run may have been killed before or after that.
        var planned: FileContent?
        /// Whether the current run wants the file.
        var isWanted = false
    }

    private static let heading = "feedsync output 1"
    private static let maxPathLength = 4096
    private static let maxEntries = 4_000_000

    /// The entries by their paths, which are relative to the output directory.
    var entries: [String: Entry] = [:]
    /// The paths of the directories that feedsync made in the output directory.
    var directories: Set<String> = []
    /// The hidden name under which a run writes a file before it renames the file to its path.
    var part: String?
    /// The `GalleryKey` of a gallery.
    var key: String?

    init() {}

    // MARK: Reading

    /// Reads a list.
    ///
    /// Throws `EINVAL` at the first malformed line.
    init(from file: Descriptor) throws(SystemError) {
        var (rest, offset, number) = ([UInt8](), 0, 0)
        while case let chunk = try file.read(1 << 16, at: offset), !chunk.isEmpty {
            offset += chunk.count
            rest += chunk
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let isValid = number == 1 ? rest[start..<end].elementsEqual(Self.heading.utf8) : add(rest[start..<end])
                guard isValid else { throw Self.damaged(at: number, in: file) }
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= 4 * Self.maxPathLength else { throw Self.damaged(at: number + 1, in: file) }
        }
        guard number > 0, rest.isEmpty else { throw Self.damaged(at: number + 1, in: file) }
    }

    private static func damaged(at line: Int, in file: Descriptor) -> SystemError {
        SystemError(EINVAL, "line \(line) is damaged", file.path)
    }

    /// Adds a line to the list.
    ///
    /// Returns false for a malformed line.
    private mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
        let space = UInt8(ascii: " ")
        let kind = line.prefix { $0 != space }
        let value = line.dropFirst(kind.count + 1)
        switch String(decoding: kind, as: UTF8.self) {
        case "file":
            let fields = value.split(separator: space, maxSplits: 4, omittingEmptySubsequences: false)
            guard fields.count == 5, let content = Self.content(fields), let seconds = Self.number(fields[2]),
                let nanoseconds = Self.number(fields[3]), let path = Self.path(fields[4]),
                entries[path]?.own == nil, entries.count < Self.maxEntries
            else { return false }
            let modified = FileTime(seconds: seconds, nanoseconds: nanoseconds)
            entries[path, default: Entry()].own = OwnFile(content: content, modified: modified)
        case "plan":
            let fields = value.split(separator: space, maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let content = Self.content(fields), let path = Self.path(fields[2]),
                entries[path]?.planned == nil, entries.count < Self.maxEntries
            else { return false }
            entries[path, default: Entry()].planned = content
        case "directory":
            guard let path = Self.path(value), directories.count < Self.maxEntries else { return false }
            return directories.insert(path).inserted
        case "part":
            guard part == nil, let name = Self.path(value), !name.contains("/") else { return false }
            part = name
        case "key":
            guard key == nil, let text = String(validating: value, as: UTF8.self), GalleryKey.isValid(text) else {
                return false
            }
            key = text
        case "at":
            // The path of the output directory is there for people, and is skipped.
            return true
        default:
            return false
        }
        return true
    }

    private static func content(_ fields: [ArraySlice<UInt8>]) -> FileContent? {
        guard let digest = Digest(hex: String(decoding: fields[0], as: UTF8.self)), let size = number(fields[1]),
            size >= 0
        else { return nil }
        return FileContent(digest: digest, size: Int64(size))
    }

    /// Reads a number.
    ///
    /// Returns nil for any spelling except the usual one.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        return Int(text).flatMap { String($0) == text ? $0 : nil }
    }

    /// Reads a path.
    ///
    /// Returns nil if it leads out of the output directory or if feedsync makes no such paths.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count <= maxPathLength, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let areNames = names.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
        return areNames ? String(validating: bytes, as: UTF8.self) : nil
    }

    // MARK: Writing

    /// Writes the list.
    ///
    /// `directory` is the path of the output directory.
    func write(to file: Descriptor, about directory: String) throws(SystemError) {
        var text = "\(Self.heading)\nat \(PercentEncoding.encodePath(directory))\n"
        if let part { text += "part \(part)\n" }
        if let key { text += "key \(key)\n" }
        for path in directories { text += "directory \(path)\n" }
        for (path, entry) in entries {
            if let own = entry.own {
                let time = "\(own.modified.seconds) \(own.modified.nanoseconds)"
                text += "file \(own.content.digest.hex) \(own.content.size) \(time) \(path)\n"
            }
            if let planned = entry.planned { text += "plan \(planned.digest.hex) \(planned.size) \(path)\n" }
            guard text.utf8.count > 1 << 16 else { continue }
            try file.write(Array(text.utf8))
            text = ""
        }
        try file.write(Array(text.utf8))
    }
}

/// The records of a cache about one output directory: the list of own files and a lock, in the cache's directory
/// `outputs`.
///
/// Their names are the SHA-256 of the output directory's real path. They lie in the cache because only its owner can
/// forge a list or hold a lock there.
struct OutputRecords {
    private static let name = "outputs"
    /// The errors of a directory that a run may only read.
    private static let readOnly: Set<Int32> = [EROFS, EACCES, EPERM]

    private let outputs: Descriptor
    private let path: String
    private let hash: String
    /// The lock; nil for a run that only reads, and on a read-only medium without a lock file.
    private let lock: Descriptor?
    private let isWritable: Bool

    /// Opens the records, and takes the lock unless `isReading`.
    ///
    /// Returns nil if the cache has no records and is read-only. Throws `EWOULDBLOCK` while another run holds the lock.
    init?(of path: String, hash: String, in cache: String, isReading: Bool) throws(SystemError) {
        self.path = path
        self.hash = hash
        let lockName = "\(hash).lock"
        if !isReading, let made = try Self.make(in: cache, lockName) {
            (outputs, lock, isWritable) = (made.outputs, made.lock, true)
        } else {
            guard access(cache, F_OK) == 0,
                let existing = try Descriptor.cacheDirectory(at: cache).existingDirectory(Self.name)
            else { return nil }
            let hasLock = isReading ? false : try existing.status(of: lockName) != nil
            outputs = existing
            lock = hasLock ? try existing.open(lockName, O_RDONLY | O_NONBLOCK) : nil
            isWritable = false
        }
        guard try lock?.lock() != false else {
            throw SystemError(EWOULDBLOCK, "another feedsync run writes there", path)
        }
    }

    /// Creates the directory and the lock file.
    ///
    /// Returns nil if the cache is read-only.
    private static func make(
        in cache: String, _ lockName: String
    ) throws(SystemError) -> (outputs: Descriptor, lock: Descriptor)? {
        do throws(SystemError) {
            let outputs = try openCache(cache).makeDirectory(name)
            return (outputs, try outputs.makeFile(lockName, mode: 0o600))
        } catch let error where readOnly.contains(error.code) {
            return nil
        }
    }

    /// Opens the cache's directory.
    ///
    /// A missing cache is created, because the next run needs the list to recognise its own files. The new cache gets
    /// the lock file by which other commands recognise a cache.
    private static func openCache(_ path: String) throws(SystemError) -> Descriptor {
        if access(path, F_OK) != 0 {
            let steps = FilePath.steps(to: path)
            for step in steps where access(step, F_OK) != 0 {
                let mode: mode_t = step == steps.last ? 0o700 : 0o777
                guard mkdir(step, mode) == 0 || errno == EEXIST else { throw SystemError("can't be created", step) }
            }
            _ = try Descriptor.cacheDirectory(at: path).makeFile("lock")
        }
        return try Descriptor.cacheDirectory(at: path)
    }

    private var listName: String { "\(hash).list" }

    func readList() throws(SystemError) -> OutputList {
        guard let status = try outputs.status(of: listName) else { return OutputList() }
        guard status.isFile else { throw SystemError(EINVAL, "is not a regular file", "\(outputs.path)/\(listName)") }
        return try OutputList(from: try outputs.open(listName, O_RDONLY | O_NONBLOCK))
    }

    /// Saves the list.
    ///
    /// Returns when it is on disk.
    func save(_ list: OutputList) throws(SystemError) {
        guard isWritable else { return }
        let next = "\(listName).new"
        unlinkat(outputs.number, next, 0)
        let file = try outputs.makeFile(next, mode: 0o600)
        try list.write(to: file, about: path)
        try file.synchroniseWherePossible()
        guard renameat(outputs.number, next, outputs.number, listName) == 0 else {
            throw SystemError("can't be created", "\(outputs.path)/\(listName)")
        }
        try outputs.synchroniseWherePossible()
    }
}
