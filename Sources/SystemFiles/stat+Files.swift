package import Glibc

extension stat {
    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }

    package func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }

    /// Gives the rights of this file or directory to the new one that is to take its place: people who could use the old one
    /// can use the new one, as far as no others are let in. `bits` are the part of the mode that counts.
    /// False, for the reason in `errno`, if others would be let in.
    package func handRights(_ bits: mode_t, to descriptor: Int32) -> Bool {
        var new = stat()
        guard fstat(descriptor, &new) == 0 else { return false }
        var mode = st_mode
        if new.st_gid != st_gid, fchown(descriptor, uid_t.max, st_gid) != 0 { mode = modeInAnotherGroup }
        guard Self.set(mode & bits, of: descriptor, from: new.st_mode & bits) else { return false }
        // The owner is changed last, as only the owner may set the mode. Only root can do it, in a container not even
        // root, and it isn't needed.
        fchown(descriptor, st_uid, gid_t.max)
        return true
    }

    /// The other group, and all others, get the rights that both the group and all others have now.
    private var modeInAnotherGroup: mode_t {
        let shared = st_mode >> 3 & st_mode & 0o7
        return st_mode & 0o7700 | shared << 3 | shared
    }

    private static func set(_ mode: mode_t, of descriptor: Int32, from before: mode_t) -> Bool {
        // Some file systems can't set any mode, not even the one that a file has.
        if before == mode || fchmod(descriptor, mode) == 0 { return true }
        guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
        if before & ~mode & 0o077 == 0 { return true }
        // A service may be forbidden just to have a directory hand on its group (`RestrictSUIDSGID`).
        return mode & 0o7000 != 0 && fchmod(descriptor, mode & 0o777) == 0
    }
}
