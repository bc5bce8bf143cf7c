package import Glibc

/// Directories are reached from the descriptor of the one above them, never by path: a symbolic link put into the cache is
/// refused, not followed.
extension Descriptor {
    package func directory(_ name: UnsafePointer<CChar>) throws(SystemError) -> Descriptor {
        try open(name, O_RDONLY | O_DIRECTORY)
    }

    /// Nil if it isn't there.
    package func existingDirectory(_ name: String) throws(SystemError) -> Descriptor? {
        try status(of: name) == nil ? nil : directory(name)
    }

    /// Creates the directory if it isn't there, durably.
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

    /// Opens the file, which is made if it isn't there; to stay, unlike what is staged. What is given to the directory's owner
    /// was made here for sure: they could put a link to somebody else's file there meanwhile.
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
        // Passed as it is, the name would be copied first.
        let opened = name.withCString { openat(number, $0, flags | Self.safely, mode) }
        return try descriptor(opened, name, flags)
    }

    /// Opens by a name in bytes: not every file has one in UTF-8.
    package func open(_ name: UnsafePointer<CChar>, _ flags: Int32) throws(SystemError) -> Descriptor {
        let opened = openat(number, name, flags | Self.safely)
        return try descriptor(opened, String(cString: name), flags)
    }

    /// Follows no link, and waits for no other end of a pipe.
    private static let safely = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC

    private func descriptor(_ opened: Int32, _ name: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        if opened >= 0, flags & O_DIRECTORY == 0 {
            let file = Descriptor(owning: opened, name, in: self)
            // A file that this call has made needs no check.
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
        // For a directory, Linux says of a link that it is none.
        if failure.code == ELOOP || failure.code == ENOTDIR, try status(of: name)?.isLink == true {
            throw SystemError(ELOOP, "is a symbolic link, and none is followed inside the cache", path)
        }
        throw failure
    }

    /// What stands under a name; nil if nothing does. A link counts as itself.
    package func status(of name: UnsafePointer<CChar>) throws(SystemError) -> stat? {
        var status = stat()
        if fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw SystemError("can't be examined", "\(path)/\(String(cString: name))")
    }
}
