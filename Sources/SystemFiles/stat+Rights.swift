package import Glibc

extension stat {
    /// Gives the rights of this file or folder to the new one that is to take its place: who could use the old one can
    /// use the new one, as far as that can be had without letting others in. `bits` are those of the mode that count.
    /// False, for the reason in `errno`, if others would be let in.
    package func handRights(_ bits: mode_t, to descriptor: Int32) -> Bool {
        var new = stat()
        guard fstat(descriptor, &new) == 0 else { return false }
        var mode = st_mode
        if new.st_gid != st_gid, fchown(descriptor, uid_t.max, st_gid) != 0 { mode = modeInAnotherGroup }
        guard Self.set(mode & bits, of: descriptor, from: new.st_mode & bits) else { return false }
        // Last, as the mode is the owner's to set. Only root can give it away, in a container not even that, and others
        // need not.
        fchown(descriptor, st_uid, gid_t.max)
        return true
    }

    private static func set(_ mode: mode_t, of descriptor: Int32, from before: mode_t) -> Bool {
        // Where no mode can be set, neither can the one that it has.
        if before == mode || fchmod(descriptor, mode) == 0 { return true }
        guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
        if before & ~mode & 0o077 == 0 { return true }
        // A service may be allowed all but to have a folder hand on its group (`RestrictSUIDSGID`).
        return mode & 0o7000 != 0 && fchmod(descriptor, mode & 0o777) == 0
    }
}
