internal import CLinux
internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A folder that is, or is to become, a gallery. It knows its own files by the list of them that it holds.
final class OpenFolder {
    static let marker = ".feedsync-gallery"
    /// What is to become the marker. It takes its place when it is whole and on disk, so that neither a run that is
    /// killed nor a power cut leaves one that is cut off.
    private static let nextMarker = ".feedsync-gallery.new"
    private static let unfinished = "feedsync gallery 1, unfinished"
    private static let heading = "feedsync gallery 1"

    private let folder: Descriptor

    /// Nil if there is nothing at the path.
    init?(existing path: String) throws(SystemError) {
        do { folder = try Descriptor.folder(at: path) } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    var path: String { folder.path }

    var number: Int32 { folder.number }

    /// False if another run holds it, or has held it and put another folder in its place.
    func lock() throws(SystemError) -> Bool {
        guard try folder.lock() else { return false }
        return try isInPlace()
    }

    /// It stays locked, and keeps its path for messages.
    func move(to place: String) throws(SystemError) {
        guard rename(path, place) == 0 else { throw SystemError("can't be put back", path) }
    }

    private func isInPlace() throws(SystemError) -> Bool {
        let own = try folder.status()
        var found = stat()
        guard lstat(path, &found) == 0 else {
            if errno == ENOENT { return false }
            throw SystemError("can't be examined", path)
        }
        return found.isSame(as: own)
    }

    // MARK: Filling

    /// A server that may read the old one may read the new one, as far as that can be had without letting others in.
    func adoptRights(of other: OpenFolder) throws(SystemError) {
        guard try other.folder.status().handRights(0o7777, to: number) else {
            throw SystemError("can't be given rights", path)
        }
    }

    func makeFolder(_ name: String) throws(SystemError) {
        guard mkdirat(number, name, 0o777) == 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws(SystemError) -> Descriptor {
        let opened = openat(number, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard opened >= 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
        let file = Descriptor(owning: opened, path: "\(path)/\(name)")
        try file.write(bytes)
        return file
    }

    func markUnfinished() throws(SystemError) { try mark(Self.unfinished) }

    /// `files` are relative to the folder.
    func mark(_ files: [String]) throws(SystemError) {
        try mark(([Self.heading] + files.sorted()).joined(separator: "\n"))
    }

    private func mark(_ text: String) throws(SystemError) {
        // One that a power cut emptied would make the folder somebody else's.
        try Self.synchronise(write(Array("\(text)\n".utf8), to: Self.nextMarker))
        guard renameat(number, Self.nextMarker, number, Self.marker) == 0 else {
            throw SystemError("can't be created", "\(path)/\(Self.marker)")
        }
    }

    /// Returns when the names in the folder are on disk.
    func synchronise() throws(SystemError) { try Self.synchronise(folder) }

    /// Not every file system can, and on one that can't a gallery is as safe as it can be there.
    private static func synchronise(_ file: Descriptor) throws(SystemError) {
        do throws(SystemError) { try file.synchronise() } catch {
            guard [EINVAL, EOPNOTSUPP].contains(error.code) else { throw error }
        }
    }

    // MARK: Knowing its own

    /// As far as that can be seen from outside.
    static func holdsMarker(_ path: String) -> Bool {
        var status = stat()
        return lstat("\(path)/\(marker)", &status) == 0 && status.isFile
    }

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
        let marker = openat(number, Self.marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard marker >= 0 else {
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return [] }
            throw SystemError("can't be opened", "\(path)/\(Self.marker)")
        }
        let file = Descriptor(owning: marker, path: "\(path)/\(Self.marker)")
        let status = try file.status()
        guard status.isFile else { return [] }
        return try file.read(Int(status.st_size)).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Everything in the folder but the folder of images itself, whose contents count as `images/NAME`. Another folder
    /// counts as one name, which no run of ours has written.
    func names() throws(SystemError) -> [String] {
        var names: [String] = []
        for name in try Self.list(folder) {
            if name == "\(PlacedImage.folder)/", let images = try images() {
                names += try Self.list(images).map { name + $0 }
            } else {
                names.append(name)
            }
        }
        return names.sorted()
    }

    /// Nil if there is no folder of images, or only a link to one.
    func images() throws(SystemError) -> Descriptor? {
        let images = openat(number, PlacedImage.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard images >= 0 else {
            if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
            throw SystemError("can't be opened", "\(path)/\(PlacedImage.folder)")
        }
        return Descriptor(owning: images, path: "\(path)/\(PlacedImage.folder)")
    }

    /// Those of folders end with a slash: what has the name of a page and is none was put there by somebody else.
    private static func list(_ folder: Descriptor) throws(SystemError) -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name, type throws(SystemError) in
            let ending = isFolder(name, type, in: folder) ? "/" : ""
            names.append(String(cString: name) + ending)
        }
        return names
    }

    private static func isFolder(_ name: UnsafePointer<CChar>, _ type: UInt8, in folder: Descriptor) -> Bool {
        guard type == UInt8(DT_UNKNOWN) else { return type == UInt8(DT_DIR) }
        // Not every file system says it at once.
        var status = stat()
        return fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.isFolder
    }
}
