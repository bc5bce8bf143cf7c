internal import CLinux
internal import FeedCore
internal import Glibc

/// A folder that is, or is to become, a gallery. It knows its own files by the list of them that it holds.
final class OpenFolder {
    static let marker = ".feedsync-gallery"
    /// What is to become the marker. It takes its place when it is whole, so that a run that is killed leaves none that is
    /// cut off.
    private static let nextMarker = ".feedsync-gallery.new"
    private static let unfinished = "feedsync gallery 1, unfinished"
    private static let heading = "feedsync gallery 1"

    private(set) var path: String
    let number: Int32

    /// Nil if there is nothing at the path.
    init?(existing path: String) throws(SystemError) {
        self.path = path
        number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number < 0 {
            if errno == ENOENT { return nil }
            throw SystemError("can't be opened", path)
        }
    }

    deinit {
        guard number >= 0 else { return }
        // Closing alone would leave the lock to a copy that a child process has until it runs its own program.
        flock(number, LOCK_UN)
        close(number)
    }

    /// False if another run holds it, or has held it and put another folder in its place.
    func lock() throws(SystemError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemError("can't be locked", path) }
        }
        return try isInPlace()
    }

    /// It stays locked.
    func move(to place: String) throws(SystemError) {
        guard rename(path, place) == 0 else { throw SystemError("can't be put back", path) }
        path = place
    }

    private func isInPlace() throws(SystemError) -> Bool {
        var own = stat()
        var found = stat()
        guard fstat(number, &own) == 0 else { throw SystemError("can't be examined", path) }
        guard lstat(path, &found) == 0 else {
            if errno == ENOENT { return false }
            throw SystemError("can't be examined", path)
        }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    // MARK: Filling

    /// A server that may read the old one may read the new one.
    func adoptRights(of other: OpenFolder) throws(SystemError) {
        var status = stat()
        guard fstat(other.number, &status) == 0 else { throw SystemError("can't be examined", other.path) }
        // Giving it away is for root alone, and others need not.
        if fchown(number, status.st_uid, status.st_gid) != 0, geteuid() == 0 {
            throw SystemError("can't be given the old one's owner", path)
        }
        guard fchmod(number, status.st_mode & 0o7777) == 0 else { throw SystemError("can't be given rights", path) }
    }

    func makeFolder(_ name: String) throws(SystemError) {
        guard mkdirat(number, name, 0o777) == 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
    }

    func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let file = openat(number, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw SystemError("can't be written", "\(path)/\(name)")
            }
        }
    }

    func markUnfinished() throws(SystemError) { try mark(Self.unfinished) }

    /// `files` are relative to the folder.
    func mark(_ files: [String]) throws(SystemError) {
        try mark(([Self.heading] + files.sorted()).joined(separator: "\n"))
    }

    private func mark(_ text: String) throws(SystemError) {
        try write(Array("\(text)\n".utf8), to: Self.nextMarker)
        guard renameat(number, Self.nextMarker, number, Self.marker) == 0 else {
            throw SystemError("can't be created", "\(path)/\(Self.marker)")
        }
    }

    // MARK: Knowing its own

    /// It is empty, or holds what a run wrote and nothing else.
    func checkIsReplaceable() throws(SystemError) {
        guard feedsync_is_mount_root(number) == 0 else {
            throw SystemError(
                EBUSY, "is a mount point, and a gallery is exchanged as a whole; give a folder below it", path)
        }
        let names = try names()
        guard !names.isEmpty else { return }
        let files = Set(try filesOfGallery())
        if let foreign = names.first(where: { !files.contains($0) }) {
            throw SystemError(
                EEXIST, "was not written by feedsync; a gallery's folder may hold nothing else", "\(path)/\(foreign)")
        }
    }

    /// Answers with what there is to delete of what an earlier run wrote.
    func checkIsLeftover() throws(SystemError) -> [String] {
        let names = try names()
        let lines = try markerLines()
        if lines.first == Self.unfinished { return names }
        // Its beginning, cut short; or its end, as the marker goes last.
        let isMarkerAlone = names.allSatisfy { [Self.marker, Self.nextMarker].contains($0) }
        if isMarkerAlone, lines.count <= 1, Self.unfinished.hasPrefix(lines.first ?? "") { return names }
        return try filesOfGallery()
    }

    private func filesOfGallery() throws(SystemError) -> [String] {
        let files = try files()
        guard !files.isEmpty else {
            throw SystemError(
                ENOTEMPTY, "is a folder with something in it, and no gallery; give an empty or a new one", path)
        }
        return files
    }

    /// What the marker lists, and the marker; nothing if this is no gallery.
    func files() throws(SystemError) -> [String] {
        let lines = try markerLines()
        return lines.first == Self.heading ? [Self.marker] + lines.dropFirst() : []
    }

    private func markerLines() throws(SystemError) -> [String] {
        let file = openat(number, Self.marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return [] }
            throw SystemError("can't be opened", "\(path)/\(Self.marker)")
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(file, &piece, piece.count)
            if count == 0 { break }
            if count > 0 {
                bytes += piece[..<count]
            } else if errno == EISDIR {
                return []
            } else if errno != EINTR {
                throw SystemError("can't be read", "\(path)/\(Self.marker)")
            }
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Everything in the folder but the folder of images itself, whose contents count as `images/NAME`. Another folder
    /// counts as one name, which no run of ours has written.
    func names() throws(SystemError) -> [String] {
        var names: [String] = []
        for name in try Self.list(number, path) {
            let images: [String]? =
                if name == "\(PlacedImage.folder)/" {
                    try withImages { folder throws(SystemError) in try Self.list(folder, "\(path)/\(name)") }
                } else {
                    nil
                }
            names += images?.map { name + $0 } ?? [name]
        }
        return names.sorted()
    }

    /// Nil if there is no folder of images, or only a link to one.
    func withImages<Outcome>(
        _ work: (Int32) throws(SystemError) -> Outcome
    ) throws(SystemError) -> Outcome? {
        let images = openat(number, PlacedImage.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard images >= 0 else {
            if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
            throw SystemError("can't be opened", "\(path)/\(PlacedImage.folder)")
        }
        defer { close(images) }
        return try work(images)
    }

    /// Those of folders end with a slash: what has the name of a page and is none was put there by somebody else.
    private static func list(_ folder: Int32, _ path: String) throws(SystemError) -> [String] {
        // A description of its own: a duplicate would share this one's position.
        let listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw SystemError("can't be listed", path) }
        guard let stream = fdopendir(listed) else {
            let failure = SystemError("can't be listed", path)
            close(listed)
            throw failure
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            // In its place: the entry may be shorter than a copy of all that a name can be.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." {
                names.append(isFolder(name, entry.pointee.d_type, in: folder) ? "\(name)/" : name)
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemError("can't be listed", path) }
        return names
    }

    private static func isFolder(_ name: String, _ type: UInt8, in folder: Int32) -> Bool {
        guard type == UInt8(DT_UNKNOWN) else { return type == UInt8(DT_DIR) }
        // Not every file system says it at once.
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
