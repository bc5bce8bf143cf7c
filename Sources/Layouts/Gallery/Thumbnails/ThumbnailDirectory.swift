internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The cache's directory of thumbnails: `HEX.webp` for the image of that digest, or `HEX.none` where none can be made.
/// Whatever is missing in it is made again.
struct ThumbnailDirectory: Sendable {
    static let name = "thumbnails"
    private static let work = ".work"

    private let directory: Descriptor

    /// Nil where there is none.
    init?(in cache: String) throws(SystemError) {
        guard access(cache, F_OK) == 0,
            let found = try Descriptor.cacheDirectory(at: cache).existingDirectory(Self.name)
        else {
            return nil
        }
        directory = found
    }

    /// Nil where none can be made: the cache may be read-only, or full.
    init?(creatingIn cache: String) throws(SystemError) {
        do throws(SystemError) { directory = try Descriptor.cacheDirectory(at: cache).makeDirectory(Self.name) } catch {
            guard [EROFS, EACCES, EPERM, ENOSPC, EDQUOT].contains(error.code) else { throw error }
            return nil
        }
    }

    enum State { case missing, made, impossible }

    func state(of digest: Digest) -> State {
        var status = stat()
        // A power cut may have left an empty one.
        if fstatat(directory.number, "\(digest.hex).webp", &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_size > 0 {
            return .made
        }
        return faccessat(directory.number, "\(digest.hex).none", F_OK, 0) == 0 ? .impossible : .missing
    }

    /// Opens a thumbnail. Returns nil if there is none; what a power cut left of one is deleted.
    func thumbnail(of digest: Digest) throws(SystemError) -> ThumbnailFile? {
        let name = "\(digest.hex).webp"
        let opened = openat(directory.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        let file = Descriptor(owning: opened, name, in: directory)
        let size = Int(try file.status().st_size)
        guard WebPFile.size(try file.read(WebPFile.head)) == size else {
            unlinkat(directory.number, name, 0)
            return nil
        }
        return ThumbnailFile(size: size, file: file, directory: directory, name: name)
    }

    /// An empty directory to work in. Nil where nothing can be written. Throws while another run has it.
    func beginWork() throws(SystemError) -> Descriptor? {
        guard try directory.lock() else {
            throw SystemError(EWOULDBLOCK, "another feedsync run is making thumbnails", directory.path)
        }
        try directory.removeAll(Self.work)
        guard mkdirat(directory.number, Self.work, 0o700) == 0 else { return nil }
        return try directory.directory(Self.work)
    }

    func endWork() {
        do { try directory.removeAll(Self.work) } catch {
            // The next run does.
        }
    }

    /// Puts what was made in `work` in its place, less what it tells beside the image. False if that is no image.
    func adopt(_ digest: Digest, from work: Descriptor) throws(SystemError) -> Bool {
        let (made, clean) = ("\(digest.hex).webp", "\(digest.hex).clean")
        let opened = openat(work.number, made, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return false }
        let file = Descriptor(owning: opened, made, in: work)
        let bytes = try file.read(Int(file.status().st_size))
        guard let image = WebPFile.imageAlone(bytes) else { return false }
        try work.keep(image, as: clean)
        guard renameat(work.number, clean, directory.number, made) == 0 else {
            throw SystemError("can't be created", "\(directory.path)/\(made)")
        }
        return true
    }

    /// From now on none is tried to be made.
    func giveUp(on digest: Digest) throws(SystemError) { try directory.keep([], as: "\(digest.hex).none") }

    /// Throws where there is no room for a thumbnail: that none was made says nothing of the image then.
    static func requireRoom(in work: Descriptor) throws(SystemError) {
        let name = "room"
        defer { unlinkat(work.number, name, 0) }
        try work.write([UInt8](repeating: 1, count: 256 << 10), to: name)
    }
}

/// A thumbnail in the cache.
struct ThumbnailFile {
    let size: Int
    fileprivate let file: Descriptor
    fileprivate let directory: Descriptor
    fileprivate let name: String

    func bytes() throws(SystemError) -> [UInt8] { try file.read(size) }

    /// Gives the thumbnail another name, outside the cache: as a link where that is possible, else as a copy.
    func place(at path: String) throws(SystemError) {
        if linkat(directory.number, name, AT_FDCWD, path, 0) == 0 { return }
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o444)
        guard target >= 0 else { throw SystemError("can't be created", path) }
        try Descriptor(owning: target, path: path).write(try bytes())
    }
}

extension Descriptor {
    fileprivate func keep(_ bytes: [UInt8], as name: String) throws(SystemError) {
        let file = try write(bytes, to: name, mode: 0o444)
        // A umask may have taken some of the mode. Where the file system can't set any, it is the one that all files have.
        fchmod(file.number, 0o444)
    }
}
