internal import Glibc
internal import SystemFiles

extension OpenFolder {
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
