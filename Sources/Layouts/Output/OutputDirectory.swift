internal import FeedCore
internal import Glibc
internal import Hashing
internal import SystemFiles

/// A directory of the user into which feedsync writes files.
///
/// The directory may contain other files, and other users may be able to write to it. Files that are on the list and
/// unchanged are feedsync's own. All other files are foreign: they are left alone, unless the user allows the gallery
/// to replace those that block its paths. Only regular files and directories are opened, and links are never followed,
/// so that a foreign file cannot make a run wait.
final class OutputDirectory {
    /// The kind of a foreign file or directory that blocks the path of an own file.
    enum Obstacle: Hashable {
        case file(size: Int64)
        case directory
        /// The obstacle is a link, FIFO, socket or device.
        case special
    }

    /// The state of one path in the directory.
    enum State {
        case missing
        case own(OwnFile)
        /// The file is planned, and a power cut left it empty.
        case unfinished
        /// The path is blocked. `path` is the path itself or that of a directory above it.
        case foreign(Obstacle, path: String)
    }

    /// The result of comparing a file with the wanted content.
    enum Finding {
        case present
        case missing
        case outdated
        case foreign(Obstacle, path: String)
    }

    enum Lookup {
        case found(Descriptor)
        case missing
        case obstructed(path: String)
    }

    /// The real path of the directory.
    let path: String
    /// Whether foreign files that block a path are replaced.
    let replacesForeign: Bool
    var list: OutputList
    /// The name of the layout for messages: `gallery` or `tree`.
    let layout: String
    let records: OutputRecords?
    var root: Descriptor?
    /// The descriptors of the directories in it that were used last, by their paths.
    var openDirectories: [String: Descriptor] = [:]
    /// The paths at which no own file was before the run began to rename files to them.
    var expectedMoves: Set<String> = []
    /// Whether the list differs from the one in the cache.
    var isListChanged = false
    /// The number of bytes written since the last synchronisation with the disk.
    var unsynchronised: Int64 = 0

    private let user = geteuid()

    static let maxUnsynchronised: Int64 = 64 << 20

    /// Opens the directory and takes its lock.
    ///
    /// A missing directory is created together with its first file. With `isReading`, the run takes no
    /// lock and must only read.
    init(
        _ target: OutputTarget, layout: String, isReading: Bool = false, replacesForeign: Bool = false
    ) throws(FeedError) {
        self.layout = layout
        self.replacesForeign = replacesForeign
        do throws(SystemError) {
            let destination = try Destination(target.path)
            try destination.requireApart(from: target.cache)
            path = destination.path
        } catch {
            throw error.inOutput(layout)
        }
        let hash = try SHA256.digest(of: path).hex
        do throws(SystemError) {
            records = try OutputRecords(of: path, hash: hash, in: target.cache, isReading: isReading)
            list = try records?.readList() ?? OutputList()
        } catch let error where error.code == EINVAL {
            throw FeedError.storage(.failed, "the list of the \(layout)'s files can't be read: \(error.message)")
                .hinting("delete that list: files that are as they should be are taken over")
        } catch {
            throw error.inOutput(layout)
        }
        // The run that held the lock before may have created the directory.
        let found = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard found >= 0 || errno == ENOENT else { throw SystemError("can't be opened", path).inOutput(layout) }
        root = found >= 0 ? Descriptor(owning: found, path: path) : nil
        guard !isReading else { return }
        isListChanged = list.part != nil
        removePart()
        list.part = ".feedsync-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
    }

    var exists: Bool { root != nil }

    // MARK: Looking up

    /// Opens a directory inside the output directory, one path component at a time.
    func lookUp(_ path: String) throws(SystemError) -> Lookup {
        guard let root else { return .missing }
        if path.isEmpty { return .found(root) }
        if let known = openDirectories[path] { return .found(known) }
        var directory = root
        for step in FilePath.steps(to: path) {
            let name = step.split(separator: "/").last.map(String.init) ?? step
            let found = openat(directory.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if found < 0 {
                if errno == ENOENT { return .missing }
                if errno == ENOTDIR || errno == ELOOP { return .obstructed(path: step) }
                throw SystemError("can't be opened", "\(self.path)/\(step)")
            }
            directory = Descriptor(owning: found, path: "\(self.path)/\(step)")
        }
        if openDirectories.count >= 8 { openDirectories = [:] }
        openDirectories[path] = directory
        return .found(directory)
    }

    /// Returns whether the path is that of a directory, or is free for one.
    func canBeDirectory(_ path: String) throws(FeedError) -> Bool {
        try attempt { () throws(SystemError) in
            if case .obstructed = try lookUp(path) { false } else { true }
        }
    }

    /// Returns the names in a directory; an empty list if it does not exist.
    ///
    /// Invalid UTF-8 in a name is replaced.
    func names(in path: String) throws(FeedError) -> [String] {
        try attempt { () throws(SystemError) in
            var names: [String] = []
            if case .found(let directory) = try lookUp(path) {
                try directory.forEachEntry { name, _ in names.append(String(cString: name)) }
            }
            return names
        }
    }

    /// Returns the state of a path.
    ///
    /// The bytes of a file are only read if its time differs from that in the list.
    func state(of path: String) throws(FeedError) -> State { try state(of: path, list.entries[path]) }

    /// Returns the state of a path with this entry in the list.
    func state(of path: String, _ entry: OutputEntry?) throws(FeedError) -> State {
        let (above, name) = path.splitAtName
        let directory: Descriptor
        let found: stat
        do throws(SystemError) {
            switch try lookUp(above) {
            case .missing: return .missing
            case .obstructed(let step): return .foreign(.special, path: step)
            case .found(let opened): directory = opened
            }
            guard let status = try directory.status(of: name) else { return .missing }
            found = status
        } catch {
            throw error.inOutput(layout)
        }
        guard found.isFile else { return .foreign(found.isDirectory ? .directory : .special, path: path) }
        let size = Int64(found.st_size)
        let foreign = State.foreign(.file(size: size), path: path)
        guard let entry, try attempt({ () throws(SystemError) in try !belongsToStranger(found, in: directory) })
        else { return foreign }
        // Two images of one size can have the same date, so a time does not show whether a killed run has replaced one.
        let isTimeEnough = entry.planned.map { $0 == entry.own?.content || $0.size != size } ?? true
        if let own = entry.own, isTimeEnough, own.content.size == size, own.modified == found.modified {
            return .own(own)
        }
        // A file that was about to be renamed or deleted is planned with the content that it has.
        if let planned = entry.planned, size == 0, planned.size > 0, entry.own?.content != planned {
            return .unfinished
        }
        let candidates = [entry.own?.content, entry.planned].compactMap(\.self).filter { $0.size == size }
        // The directory may have been copied, or a run may have been killed before it saved the time.
        guard !candidates.isEmpty, let digest = try digest(of: name, in: directory, size: size),
            let content = candidates.first(where: { $0.digest == digest })
        else { return foreign }
        return .own(OwnFile(content: content, modified: found.modified))
    }

    /// Compares the file at a path with the wanted content.
    ///
    /// An own file with that content is kept, and a foreign file with exactly the same bytes becomes an own file. With
    /// `isSizeEnough`, an own file of the same size counts as equal.
    func examine(
        _ path: String, size: Int64, isSizeEnough: Bool = false, _ purpose: TreePurpose? = nil,
        digest: () throws(FeedError) -> Digest
    ) throws(FeedError) -> Finding {
        switch try state(of: path) {
        case .missing: return .missing
        case .unfinished: return .outdated
        case .own(let own):
            guard own.content.size == size else { return .outdated }
            if !isSizeEnough, own.content.digest != (try digest()) { return .outdated }
            keep(own, at: path, purpose)
            return .present
        case .foreign(let obstacle, let blocked):
            if obstacle == .file(size: size), let file = try foreignFile(path, size: size),
                file.content.digest == (try digest())
            {
                keep(file, at: path, purpose)
                return .present
            }
            return .foreign(obstacle, path: blocked)
        }
    }

    /// Reads a foreign file.
    ///
    /// Returns nil unless it is a regular file of this size that feedsync may adopt.
    func foreignFile(_ path: String, size: Int64) throws(FeedError) -> OwnFile? {
        let (above, name) = path.splitAtName
        guard case .found(let directory) = try attempt({ () throws(SystemError) in try lookUp(above) }),
            let status = try attempt({ () throws(SystemError) in try directory.status(of: name) }),
            try attempt({ () throws(SystemError) in try !belongsToStranger(status, in: directory) }),
            let digest = try digest(of: name, in: directory, size: size)
        else { return nil }
        return OwnFile(content: FileContent(digest: digest, size: size), modified: status.modified)
    }

    /// Returns whether a file in a directory such as /tmp belongs to another user.
    ///
    /// That user could change the file after its adoption.
    private func belongsToStranger(_ file: stat, in directory: Descriptor) throws(SystemError) -> Bool {
        guard file.st_uid != user else { return false }
        let status = try directory.status()
        return file.st_uid != status.st_uid && status.st_mode & S_ISVTX != 0 && status.st_mode & 0o022 != 0
    }

    /// Keeps an own file: this run wants it.
    func keep(_ own: OwnFile, at path: String, _ purpose: TreePurpose? = nil) {
        let known = list.entries[path]
        if known?.own != own || known?.planned != nil || known?.purpose != purpose { isListChanged = true }
        list.entries[path] = .wanted(own, purpose)
    }

    /// Removes the entries of files that are missing or foreign.
    func forget(_ paths: [String]) {
        for path in paths { list.entries[path] = nil }
        if !paths.isEmpty { isListChanged = true }
    }

    /// Replaces what the list of a tree remembers.
    func remember(_ memory: TreeMemory) {
        if list.memory != memory { isListChanged = true }
        list.memory = memory
    }

    func setKey(_ key: String) {
        if list.key != key { isListChanged = true }
        list.key = key
    }

    /// Returns the first bytes of a regular file; an empty array for a missing file.
    func beginning(of name: String, count: Int) throws(FeedError) -> [UInt8] {
        guard let root, let file = open(name, in: root) else { return [] }
        return try attempt { () throws(SystemError) in try file.read(count) }
    }

    /// Opens a regular file.
    ///
    /// Returns nil for anything else, and for a file without read permission.
    func open(_ name: String, in directory: Descriptor) -> Descriptor? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = openat(directory.number, name, flags)
        guard opened >= 0 else { return nil }
        let file = Descriptor(owning: opened, name, in: directory)
        var status = stat()
        return fstat(opened, &status) == 0 && status.isFile ? file : nil
    }

    /// Returns the digest of a file; nil unless it is a regular file of this size that can be read.
    private func digest(of name: String, in directory: Descriptor, size: Int64) throws(FeedError) -> Digest? {
        guard let file = open(name, in: directory) else { return nil }
        let hash = try SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset <= size {
            if Task.isCancelled { throw .cancelled }
            let count: Int
            do throws(SystemError) { count = try file.read(into: buffer, at: Int(offset)) } catch { return nil }
            guard count > 0 else { break }
            try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return offset == size ? try hash.finish() : nil
    }

    func attempt<Outcome>(_ work: () throws(SystemError) -> Outcome) throws(FeedError) -> Outcome {
        do { return try work() } catch { throw error.inOutput(layout) }
    }
}

extension SystemError {
    /// Returns the error for the user.
    ///
    /// A full or failing disk and a lack of descriptors or memory may pass, so the writing has failed; any other error
    /// means that the directory itself is unusable.
    fileprivate func inOutput(_ layout: String) -> FeedError {
        switch code {
        case EWOULDBLOCK: .storage(.locked, message)
        case ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM: .storage(.failed, "writing the \(layout) failed: \(message)")
        default: .storage(.cannotCreate, "the \(layout) can't be written: \(message)")
        }
    }
}

extension String {
    /// The path split into its directory, which is empty for the output directory itself, and the name in it.
    var splitAtName: (directory: String, name: String) {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", self) }
        return (String(self[..<slash]), String(self[index(after: slash)...]))
    }
}
