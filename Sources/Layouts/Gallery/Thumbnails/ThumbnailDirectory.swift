internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The two thumbnails of an image, named by the number of pixels on the longest side.
enum ThumbnailSize: Int, CaseIterable {
    case small = 480
    case large = 960

    /// The end of the name of a thumbnail, after the digest of its image.
    ///
    /// Caches of older versions hold small thumbnails under this name.
    var suffix: String { self == .small ? ".webp" : ".960.webp" }

    /// Returns the width and height of the thumbnail of an image.
    ///
    /// An image that is smaller than the thumbnail keeps its size.
    func size(of image: ImageSize) -> ImageSize? {
        let longest = max(image.width, image.height)
        guard longest > rawValue else { return image }
        func scaled(_ side: Int) -> Int { max(1, (side * rawValue + longest / 2) / longest) }
        return ImageSize(scaled(image.width), scaled(image.height))
    }
}

/// The cache's directory of thumbnails.
///
/// `HEX.webp` and `HEX.960.webp` are the thumbnails of the image with that digest, and `HEX.none` says that making them
/// is impossible. Missing files are made again.
struct ThumbnailDirectory: Sendable {
    static let name = "thumbnails"
    private static let workName = ".work"

    private let directory: Descriptor

    /// Opens the directory of a cache.
    ///
    /// Returns nil if it does not exist.
    init?(in cache: String) throws(SystemError) {
        guard access(cache, F_OK) == 0,
            let found = try Descriptor.cacheDirectory(at: cache).existingDirectory(Self.name)
        else {
            return nil
        }
        directory = found
    }

    /// Opens the directory of a cache and creates it if it is missing.
    ///
    /// Returns nil if the cache is read-only or full.
    init?(creatingIn cache: String) throws(SystemError) {
        do throws(SystemError) { directory = try Descriptor.cacheDirectory(at: cache).makeDirectory(Self.name) } catch {
            guard [EROFS, EACCES, EPERM, ENOSPC, EDQUOT].contains(error.code) else { throw error }
            return nil
        }
    }

    enum State { case missing, made, impossible }

    func state(of digest: Digest) -> State {
        let isMade = ThumbnailSize.allCases.allSatisfy { size in
            var status = stat()
            // A power cut may have left an empty file.
            return fstatat(directory.number, digest.hex + size.suffix, &status, AT_SYMLINK_NOFOLLOW) == 0
                && status.st_size > 0
        }
        if isMade { return .made }
        return faccessat(directory.number, "\(digest.hex).none", F_OK, 0) == 0 ? .impossible : .missing
    }

    /// Opens a thumbnail.
    ///
    /// Returns nil if there is none. An incomplete file, which a power cut may have left, is deleted.
    func thumbnail(of digest: Digest, _ size: ThumbnailSize) throws(SystemError) -> ThumbnailFile? {
        let name = digest.hex + size.suffix
        let opened = openat(directory.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        let file = Descriptor(owning: opened, name, in: directory)
        let size = Int(try file.status().st_size)
        guard WebPFile.size(try file.read(WebPFile.headSize)) == size else {
            unlinkat(directory.number, name, 0)
            return nil
        }
        return ThumbnailFile(size: size, file: file, directory: directory, name: name)
    }

    /// Locks the directory and makes an empty directory to work in.
    ///
    /// Returns nil if writing is impossible. Throws while another run holds the lock.
    func beginWork() throws(SystemError) -> Descriptor? {
        guard try directory.lock() else {
            throw SystemError(EWOULDBLOCK, "another feedsync run is making thumbnails", directory.path)
        }
        try directory.removeAll(Self.workName)
        guard mkdirat(directory.number, Self.workName, 0o700) == 0 else { return nil }
        return try directory.directory(Self.workName)
    }

    func endWork() {
        do { try directory.removeAll(Self.workName) } catch {
            // The next run deletes it.
        }
    }

    /// Moves the thumbnails of an image from `work` into the directory, without their metadata.
    ///
    /// Returns false if one of the files is not an image.
    func adopt(_ digest: Digest, from work: Descriptor) throws(SystemError) -> Bool {
        for size in ThumbnailSize.allCases {
            guard try adopt(digest.hex + size.suffix, of: digest, from: work) else { return false }
        }
        return true
    }

    private func adopt(_ made: String, of digest: Digest, from work: Descriptor) throws(SystemError) -> Bool {
        let clean = "\(digest.hex).clean"
        let opened = openat(work.number, made, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return false }
        let file = Descriptor(owning: opened, made, in: work)
        let bytes = try file.read(Int(file.status().st_size))
        guard let image = WebPFile.withoutMetadata(bytes) else { return false }
        try work.keep(image, as: clean)
        guard renameat(work.number, clean, directory.number, made) == 0 else {
            throw SystemError("can't be created", "\(directory.path)/\(made)")
        }
        return true
    }

    /// Notes that making thumbnails of this image is impossible, so that later runs leave it out.
    func giveUp(on digest: Digest) throws(SystemError) { try directory.keep([], as: "\(digest.hex).none") }

    /// Throws if the disk has no room for a thumbnail.
    ///
    /// A missing thumbnail then says nothing about its image.
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

    /// Makes the thumbnail available at a path outside the cache, as a hard link if possible, else as a copy.
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
        // The umask may have removed bits. A failure is harmless: on a file system without modes, all files have the
        // same.
        fchmod(file.number, 0o444)
    }
}

/// The WebP format: a head, and then chunks, each with a name of four letters, a size and its content.
enum WebPFile {
    static let headSize = 12
    /// The chunks with metadata, such as the camera's location and owner.
    private static let metadataChunks: Set<String> = ["EXIF", "XMP "]
    /// The bits of the chunk `VP8X` that announce metadata.
    private static let metadataFlags: UInt8 = 0x08 | 0x04

    /// Returns the file without its metadata; nil if it is not a complete WebP file.
    static func withoutMetadata(_ file: [UInt8]) -> [UInt8]? {
        guard size(Array(file.prefix(headSize))) == file.count else { return nil }
        var image = Array(file[..<headSize])
        var offset = headSize
        while offset < file.count {
            guard offset + 8 <= file.count else { return nil }
            let size = number(file, at: offset + 4)
            let end = offset + 8 + size + size % 2
            guard size > 0, end <= file.count else { return nil }
            let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
            if !metadataChunks.contains(name) {
                let start = image.count
                image += file[offset..<end]
                if name == "VP8X" { image[start + 8] &= ~metadataFlags }
            }
            offset = end
        }
        let size = UInt32(image.count - 8)
        for index in 0..<4 { image[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        return image
    }

    /// Returns the size of the file that begins with this head; nil if it is not the head of a WebP file.
    static func size(_ start: [UInt8]) -> Int? {
        guard start.count == headSize, start.starts(with: "RIFF".utf8), start[8...].elementsEqual("WEBP".utf8) else {
            return nil
        }
        return number(start, at: 4) + 8
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
