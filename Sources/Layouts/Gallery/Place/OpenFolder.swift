internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A folder that is, or is to become, a gallery.
final class OpenFolder {
    static let images = "images"
    static let thumbnails = "thumbnails"
    /// The folders in it.
    static let inner = [images, thumbnails]

    static func thumbnail(of image: Digest) -> String { "\(thumbnails)/\(image.hex).webp" }

    let folder: Descriptor
    private(set) var path: String

    /// Nil if there is nothing at the path. A link, even to a folder, is an error: the way here has none in it.
    init?(at path: String) throws(SystemError) {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("can't be opened", path)
        }
        folder = Descriptor(owning: opened, path: path)
        self.path = path
    }

    var number: Int32 { folder.number }

    func hasMoved(to path: String) { self.path = path }

    /// False if another run holds it, or has held it and put another folder in its place.
    func lock() throws(SystemError) -> Bool {
        guard try folder.lock() else { return false }
        var found = stat()
        guard lstat(path, &found) == 0 else {
            if errno == ENOENT { return false }
            throw SystemError("can't be examined", path)
        }
        return found.isSame(as: try folder.status())
    }

    /// A server that may read the old one may read the new one, as far as that can be had without letting others in. What
    /// is made here from now on gets the group that the old one hands on.
    func adoptRights(of other: OpenFolder) throws(SystemError) {
        guard try other.folder.status().handRights(0o7777, to: number) else {
            throw SystemError("can't be given rights", path)
        }
    }

    func makeFolder(_ name: String) throws(SystemError) {
        guard mkdirat(number, name, 0o777) == 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
    }

    /// Returns when the names in the folder are on disk.
    func synchronise() throws(SystemError) { try folder.synchroniseWherePossible() }
}
