package import Glibc

extension stat {
    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }

    package func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }

    /// Gives the group, the mode and the owner of this file or directory to the new file that will replace it. Users
    /// with access to the old file keep their access, as far as the new file stays closed to everybody else. `bits` are
    /// the relevant bits of the mode.
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
