internal import CLinux
package import FeedCore
package import Glibc

/// Each entry is opened relative to the descriptor of its directory, and symbolic links are refused. A link that was
/// placed in a cache therefore leads nowhere.
extension Descriptor {
    package func directory(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        try open(name, O_RDONLY | O_DIRECTORY)
    }

    /// Returns nil if the directory is missing.
    package func existingDirectory(_ name: String) throws(SystemError) -> Descriptor? {
        try status(of: name) == nil ? nil : directory(name)
    }

    /// Opens the directory.
    ///
    /// Creates it durably if it is missing.
    package func makeDirectory(_ name: String) throws(SystemError) -> Descriptor {
        let isNew = mkdirat(number, name, 0o777) == 0
        if !isNew, errno != EEXIST { throw SystemError("can't be created", "\(path)/\(name)") }
        let made = try directory(name)
        if isNew {
            try giveOwner(to: made)
            try synchroniseWherePossible()
        }
        return made
    }

    /// Opens a file.
    ///
    /// Creates it if it is missing, and gives it to the owner of the cache in that case only: the owner could have
    /// replaced an existing file by a hard link to the file of another user.
    package func makeFile(_ name: String, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            let made = try open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode)
            try giveOwner(to: made)
            return made
        } catch {
            guard error.code == EEXIST else { throw error }
            return try open(name, O_RDWR)
        }
    }

    package func open(_ name: String, _ flags: Int32, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        // `withCString` avoids a copy of the name.
        let opened = name.withCString { openat(number, $0, flags | Self.safely, mode) }
        return try descriptor(opened, name, flags)
    }

    /// Opens a file by the bytes of its name, which may differ from UTF-8.
    package func open(_ name: UnsafePointer<CChar>, _ flags: Int32) throws(SystemError) -> Descriptor {
        let opened = openat(number, name, flags | Self.safely)
        return try descriptor(opened, String(cString: name), flags)
    }

    /// The flags that refuse symbolic links and open a pipe without waiting for its other end.
    private static let safely = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC

    private func descriptor(_ opened: Int32, _ name: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        if opened >= 0, flags & O_DIRECTORY == 0 {
            let file = Descriptor(owning: opened, name, in: self)
            // `O_EXCL` proves that this call created the file.
            if flags & O_EXCL == 0 { try file.requireUsable(isDirectory: false) }
            return file
        }
        let path = "\(path)/\(name)"
        if opened >= 0 {
            let directory = Descriptor(owning: opened, path: path, ownership: ownership)
            try directory.requireUsable(isDirectory: true)
            return directory
        }
        let failure = SystemError("can't be opened", path)
        // Linux reports ENOTDIR for a symbolic link that is opened with `O_DIRECTORY`.
        if failure.code == ELOOP || failure.code == ENOTDIR, try status(of: name)?.isLink == true {
            throw SystemError(ELOOP, "is a symbolic link, and none is followed inside the cache", path)
        }
        throw failure
    }

    /// Returns the status of an entry, or nil if the entry is missing.
    ///
    /// For a symbolic link, it is the status of the link.
    package func status(of name: UnsafePointer<CChar>) throws(SystemError) -> stat? {
        var status = stat()
        if fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw SystemError("can't be examined", "\(path)/\(String(cString: name))")
    }

    // MARK: Writing

    /// Writes a new file in this directory.
    ///
    /// It replaces a file of the same name.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var made = openat(number, name, flags, mode)
        // The old file is unlinked instead of overwritten, because it can have other names elsewhere.
        if made < 0, errno == EEXIST, unlinkat(number, name, 0) == 0 { made = openat(number, name, flags, mode) }
        guard made >= 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
        let file = Descriptor(owning: made, name, in: self)
        try giveOwner(to: file)
        try file.write(bytes)
        return file
    }

    /// Moves a file of this directory to another directory.
    ///
    /// Throws `EEXIST` if the new name is taken.
    package func rename(_ name: String, to other: String, in directory: Descriptor) throws(SystemError) {
        // `withCString` avoids copies of the names.
        let renamed = name.withCString { name in
            other.withCString { feedsync_rename_without_replacing(number, name, directory.number, $0) }
        }
        if renamed == 0 { return }
        let target = "\(directory.path)/\(other)"
        let failure = SystemError("can't be created", target)
        // Some file systems lack the flag, and some kernels lack the call. There a check followed by a rename is safe,
        // because the caller holds the lock of the cache.
        guard failure.code == EINVAL || failure.code == ENOSYS else { throw failure }
        guard try directory.status(of: other) == nil else { throw SystemError(EEXIST, "is there already", target) }
        guard renameat(number, name, directory.number, other) == 0 else {
            throw SystemError("can't be created", target)
        }
    }

    /// Sets the time of the last change of an entry.
    ///
    /// For a symbolic link, it is the time of the link.
    package func setTime(_ date: Timestamp, of name: String) throws(SystemError) {
        let time = timespec(date)
        guard utimensat(number, name, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw SystemError("can't be dated", "\(path)/\(name)")
        }
    }

    /// Sets the time of the last change of this file.
    package func setTime(_ date: Timestamp) throws(SystemError) {
        let time = timespec(date)
        guard futimens(number, [time, time]) == 0 else { throw SystemError("can't be dated", path) }
    }

    // MARK: Entries

    /// Visits the name and the `d_type` of each entry of the directory.
    ///
    /// Names are bytes, which may differ from UTF-8.
    package func forEachEntry(
        _ visit: (UnsafePointer<CChar>, _ type: UInt8) throws(SystemError) -> Void
    ) throws(SystemError) {
        // The directory is opened again, because a duplicate of the descriptor would share its position.
        let listed = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw SystemError("can't be listed", path) }
        guard let stream = fdopendir(listed) else {
            let failure = SystemError("can't be listed", path)
            close(listed)
            throw failure
        }
        defer { closedir(stream) }
        errno = 0
        while let entry = readdir(stream) {
            try withUnsafePointer(to: &entry.pointee.d_name) { tuple throws(SystemError) in
                let name = UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self)
                if strcmp(name, ".") != 0 && strcmp(name, "..") != 0 { try visit(name, entry.pointee.d_type) }
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemError("can't be listed", path) }
    }

    package func forEachName(_ visit: (UnsafePointer<CChar>) throws(SystemError) -> Void) throws(SystemError) {
        try forEachEntry { name, _ throws(SystemError) in try visit(name) }
    }

    package func isEmpty() throws(SystemError) -> Bool {
        var isEmpty = true
        try forEachName { _ throws(SystemError) in isEmpty = false }
        return isEmpty
    }

    package static func copy(_ name: UnsafePointer<CChar>) -> [CChar] {
        Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
    }

    // MARK: Removal

    /// Returns the number of bytes in an entry and everything below it.
    ///
    /// A symbolic link counts with its own size.
    package func size(of name: UnsafePointer<CChar>) throws(SystemError) -> Int64 {
        guard let status = try status(of: name) else { return 0 }
        guard status.isDirectory else { return Int64(status.st_size) }
        let inner = try directory(name)
        var total: Int64 = 0
        try inner.forEachName { name throws(SystemError) in total += try inner.size(of: name) }
        return total
    }

    /// Deletes an entry and everything below it, and returns the number of bytes freed.
    ///
    /// A symbolic link itself is deleted.
    @discardableResult
    package func removeAll(_ name: UnsafePointer<CChar>) throws(SystemError) -> Int64 {
        guard let status = try status(of: name) else { return 0 }
        var freed: Int64 = 0
        if status.isDirectory {
            freed = try directory(name).removeContents()
        } else {
            freed = Int64(status.st_size)
        }
        guard unlinkat(number, name, status.isDirectory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT else {
            throw SystemError("can't be deleted", "\(path)/\(String(cString: name))")
        }
        return freed
    }

    @discardableResult
    package func removeContents() throws(SystemError) -> Int64 {
        var names: [[CChar]] = []
        try forEachName { name throws(SystemError) in names.append(Self.copy(name)) }
        var freed: Int64 = 0
        for name in names { freed += try removeAll(name) }
        return freed
    }
}

extension timespec {
    fileprivate init(_ date: Timestamp) {
        var (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        self.init(tv_sec: Int(seconds), tv_nsec: Int(rest * 1000))
    }
}

extension stat {
    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }

    package func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }

    /// Gives the group, the mode and the owner of this file or directory to the new file that will replace it.
    ///
    /// Users with access to the old file keep their access, as far as the new file stays closed to everybody else.
    /// `bits` are the relevant bits of the mode.
    ///
    /// Returns false, with the reason in `errno`, if the new file would admit other users.
    package func handRights(_ bits: mode_t, to descriptor: Int32) -> Bool {
        var new = stat()
        guard fstat(descriptor, &new) == 0 else { return false }
        var mode = st_mode
        if new.st_gid != st_gid, fchown(descriptor, uid_t.max, st_gid) != 0 { mode = modeInAnotherGroup }
        guard Self.set(mode & bits, of: descriptor, from: new.st_mode & bits) else { return false }
        // The owner is changed last, because only the owner may set the mode. Only root can change the owner, and in
        // some containers root can't either; the change is optional.
        fchown(descriptor, st_uid, gid_t.max)
        return true
    }

    /// The mode for a file whose group differs: its group and all others get the rights that both the group and all
    /// others have now.
    private var modeInAnotherGroup: mode_t {
        let shared = st_mode >> 3 & st_mode & 0o7
        return st_mode & 0o7700 | shared << 3 | shared
    }

    private static func set(_ mode: mode_t, of descriptor: Int32, from before: mode_t) -> Bool {
        // Some file systems refuse every change of a mode, even to the current mode.
        if before == mode || fchmod(descriptor, mode) == 0 { return true }
        guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
        if before & ~mode & 0o077 == 0 { return true }
        // `RestrictSUIDSGID` forbids a service to set the bit that hands the group of a directory on.
        return mode & 0o7000 != 0 && fchmod(descriptor, mode & 0o777) == 0
    }
}
