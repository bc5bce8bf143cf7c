internal import CLinux
internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Makes and deletes files. A run first announces the files that it is going to make, then makes new files, then
/// replaces changed ones, and finally deletes its other files.
extension OutputDirectory {
    /// Saves the list with the planned files.
    ///
    /// A run calls this before it makes the first of them.
    func announce(_ planned: [(path: String, content: FileContent)]) throws(FeedError) {
        for (path, content) in planned { list.entries[path, default: .init()].planned = content }
        try makeRoot()
        for above in Set(planned.map { $0.path.splitAtName.directory }) { try announceDirectories(to: above) }
        isListChanged = true
        try attempt { () throws(SystemError) in
            try records?.save(list)
            guard let root, let part = list.part else { return }
            let probe = openat(root.number, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard probe >= 0 else { throw SystemError("can't be written to", path) }
            close(probe)
            unlinkat(root.number, part, 0)
        }
    }

    /// Adds the missing directories of a path to the list.
    func announceDirectories(to path: String) throws(FeedError) {
        for step in FilePath.steps(to: path) {
            if case .found = try attempt({ () throws(SystemError) in try lookUp(step) }) { continue }
            list.directories.insert(step)
        }
    }

    private func makeRoot() throws(FeedError) {
        guard root == nil else { return }
        root = try attempt { () throws(SystemError) in
            try Destination(path).makeDirectoriesAbove()
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("can't be created", path) }
            let made = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard made >= 0 else { throw SystemError("can't be opened", path) }
            return Descriptor(owning: made, path: path)
        }
    }

    /// Makes a file.
    ///
    /// `make` receives a hidden path, makes the file there, and returns the time to set, or nil to leave the time as it
    /// is. The file is then renamed to its path. Without `isReplacing`, returns false if a foreign file has appeared
    /// there meanwhile.
    func put(
        _ path: String, _ content: FileContent, isReplacing: Bool, _ purpose: TreePurpose? = nil,
        by make: (_ path: String) throws(FeedError) -> Timestamp?
    ) throws(FeedError) -> Bool {
        guard let root, let part = list.part else { throw .storage(.failed, "\(self.path): was not announced") }
        let isReplacing = isReplacing ? try hasReplaceable(path) : false
        do throws(FeedError) {
            let date = try make("\(self.path)/\(part)")
            let (above, name) = path.splitAtName
            let isPut = try attempt { () throws(SystemError) in
                let directory = try makeDirectories(above)
                if let date { try root.setTime(date, of: part) }
                guard let made = try root.status(of: part), made.isFile, made.st_size == content.size else {
                    throw SystemError(EIO, "was changed by somebody while it was written", "\(self.path)/\(part)")
                }
                do throws(SystemError) {
                    try isReplacing
                        ? root.rename(part, over: name, in: directory) : root.rename(part, to: name, in: directory)
                } catch let error where error.code == EEXIST && !isReplacing {
                    return false
                }
                list.entries[path] = .wanted(OwnFile(content: content, modified: made.modified), purpose)
                // A hard link adds no bytes to the disk.
                if made.st_nlink == 1 { try noteWritten(content.size) }
                return true
            }
            // A rename over another link to the same file leaves both names.
            if !isPut || isReplacing { removePart() }
            return isPut
        } catch {
            removePart()
            throw error
        }
    }

    /// Makes a file of these bytes.
    ///
    /// The file has the permissions of the own file that it replaces.
    func put(
        _ path: String, _ bytes: [UInt8], _ content: FileContent, isReplacing: Bool, _ purpose: TreePurpose? = nil
    ) throws(FeedError) -> Bool {
        try put(path, content, isReplacing: isReplacing, purpose) { [self] _ throws(FeedError) in
            let isOwn = if isReplacing, case .own = try state(of: path) { true } else { false }
            try attempt { () throws(SystemError) in
                guard let root, let part = list.part else { return }
                let file = try root.open(part, O_WRONLY | O_CREAT | O_EXCL)
                try file.write(bytes)
                let (above, name) = path.splitAtName
                guard isOwn, case .found(let directory) = try lookUp(above), let old = try directory.status(of: name)
                else { return }
                guard old.handRights(0o777, to: file.number) else {
                    throw SystemError("can't be given rights", "\(self.path)/\(path)")
                }
            }
            return nil
        }
    }

    /// Returns whether there is a file to replace.
    ///
    /// Throws if that file is foreign, for another program may have changed it since the plan was made.
    private func hasReplaceable(_ path: String) throws(FeedError) -> Bool {
        switch try state(of: path) {
        case .missing: return false
        case .own, .unfinished: return true
        case .foreign(let obstacle, let blocked):
            if replacesForeign, obstacle != .directory { return true }
            throw .storage(.cannotCreate, "the \(layout) can't be written: \(self.path)/\(blocked) is somebody else's")
        }
    }

    func makeDirectories(_ path: String) throws(SystemError) -> Descriptor {
        for step in FilePath.steps(to: path) {
            let found = try lookUp(step)
            if case .found = found { continue }
            let (above, name) = step.splitAtName
            guard case .found(let directory) = try lookUp(above) else { break }
            if case .obstructed = found, !replacesForeign || unlinkat(directory.number, name, 0) != 0 { break }
            guard mkdirat(directory.number, name, 0o777) == 0 || errno == EEXIST else {
                throw SystemError("can't be created", "\(self.path)/\(step)")
            }
            list.directories.insert(step)
        }
        guard case .found(let directory) = try lookUp(path) else {
            throw SystemError(ENOTDIR, "is not a directory", "\(self.path)/\(path)")
        }
        return directory
    }

    func removePart() {
        if let root, let part = list.part { unlinkat(root.number, part, 0) }
    }

    /// Deletes an own file.
    ///
    /// A file that was changed since is foreign and stays.
    func remove(_ path: String) throws(FeedError) {
        switch try state(of: path) {
        case .missing, .foreign: break
        case .own, .unfinished:
            let (above, name) = path.splitAtName
            try attempt { () throws(SystemError) in
                guard case .found(let directory) = try lookUp(above) else { return }
                guard unlinkat(directory.number, name, 0) == 0 || errno == ENOENT else {
                    throw SystemError("can't be deleted", "\(self.path)/\(path)")
                }
            }
        }
        list.entries[path] = nil
        isListChanged = true
    }

    /// Deletes the own files that this run leaves unwanted and the directories that become empty.
    ///
    /// Then it saves the list, once all files are on disk.
    func finish() throws(FeedError) {
        for path in list.entries.lazy.filter({ !$0.1.isWanted }).map(\.0).sorted() {
            if Task.isCancelled { throw .cancelled }
            try remove(path)
        }
        try attempt { () throws(SystemError) in
            try removeEmptyDirectories()
            guard isListChanged else { return }
            list.part = nil
            // The files come first, so that after a power cut every file that the list describes has its bytes.
            try synchronise()
            try records?.save(list)
        }
    }

    /// Synchronises with the disk after each 64 MB, so that a stopped run ends soon.
    private func noteWritten(_ bytes: Int64) throws(SystemError) {
        unsynchronised += bytes
        if unsynchronised > Self.maxUnsynchronised { try synchronise() }
    }

    private func synchronise() throws(SystemError) {
        unsynchronised = 0
        if let root, feedsync_sync_file_system(root.number) != 0, errno == EIO {
            throw SystemError("can't be written to disk", path)
        }
    }

    private func removeEmptyDirectories() throws(SystemError) {
        var unused = list.directories
        var last = ""
        for path in list.entries.paths where !unused.isEmpty {
            let directory = path.splitAtName.directory
            guard directory != last else { continue }
            last = directory
            for step in FilePath.steps(to: directory) { unused.remove(step) }
        }
        // Inner directories come before the outer ones that contain them.
        for path in unused.sorted(by: >) {
            openDirectories[path] = nil
            let (above, name) = path.splitAtName
            if case .found(let directory) = try lookUp(above),
                unlinkat(directory.number, name, AT_REMOVEDIR) != 0, errno != ENOENT
            {
                continue
            }
            list.directories.remove(path)
            isListChanged = true
        }
    }
}

extension Descriptor {
    func rename(_ name: String, over other: String, in directory: Descriptor) throws(SystemError) {
        guard renameat(number, name, directory.number, other) == 0 else {
            throw SystemError("can't be replaced", "\(directory.path)/\(other)")
        }
    }
}
