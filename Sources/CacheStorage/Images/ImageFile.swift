internal import FeedCore
internal import Glibc
internal import Hashing
internal import SystemFiles

/// Reading and checking files that are named by their digest.
enum ImageFile {
    /// Never changed once it is there; and for all to read, as galleries link to it: the cache's directory is its owner's.
    static let mode: mode_t = 0o444

    /// The whole file, nil if its bytes are not those of the digest, or can't be had back.
    static func bytes(_ digest: Digest, size: Int64, in directory: Descriptor) throws(FeedError) -> [UInt8]? {
        let file: Descriptor
        switch try open(digest, in: directory, size: size) {
        case .success(let opened?): file = opened
        case .failure(let error) where error.isForbidden: throw error.feedError(.failed)
        case .success(nil), .failure: return nil
        }
        let bytes: [UInt8]
        do { bytes = try file.read(Int(size)) } catch {
            if error.concernsOneFile(in: directory) { return nil }
            throw error.feedError(.failed)
        }
        return try SHA256.digest(of: bytes) == digest ? bytes : nil
    }

    enum Condition {
        case intact
        /// Not there, no regular file, or not of its size; or, where that could be read, not of its bytes.
        case damaged(wasRead: Bool)
        /// Nobody knows, for a reason of its own.
        case unread(SystemError)

        var isIntact: Bool { if case .intact = self { true } else { false } }
    }

    /// Whether the file is there, regular, of its size and hashes to its name.
    static func condition(
        of digest: Digest, size: Int64, in directory: Descriptor
    ) throws(FeedError) -> Condition {
        switch try open(digest, in: directory, size: size) {
        case .failure(let error): return .unread(error)
        case .success(nil): return .damaged(wasRead: false)
        case .success(let file?):
            switch try file.digest() {
            case .success(let found): return found == digest ? .intact : .damaged(wasRead: true)
            case .failure(let error) where !error.concernsOneFile(in: directory): throw error.feedError(.failed)
            case .failure(let error): return .unread(error)
            }
        }
    }

    /// Fills the buffer from `offset` on. False if the file isn't there, or has not `size` bytes.
    static func read(
        _ digest: Digest, size: Int64, from offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        in directory: Descriptor
    ) throws(FeedError) -> Bool {
        do throws(SystemError) {
            guard let file = try openReadable(digest, in: directory, size: size) else { return false }
            return try file.read(into: buffer, at: Int(offset)) == buffer.count
        } catch {
            throw error.feedError(.failed)
        }
    }

    /// Whether it is intact, and makes sure that it stays: on disk, and not to be written to.
    static func isTrustworthy(_ digest: Digest, size: Int64, in directory: Descriptor) -> Bool {
        do {
            guard case .success(let file?) = try open(digest, in: directory, size: size),
                case .success(digest) = try file.digest()
            else { return false }
            // Giving it a mode takes its owner, or a file system that knows modes.
            let hasMode = try file.status().st_mode & 0o7777 == mode || fchmod(file.number, mode) == 0
            return hasMode && fsync(file.number) == 0
        } catch {
            // Whatever is in the way of trusting it, there is a copy to replace it with.
            return false
        }
    }

    /// Whether there is a file of that size; its bytes are not looked at. One that can't be looked at is as good as none.
    static func isThere(_ digest: Digest, size: Int64, in directory: Descriptor) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let status = try directory.status(of: digest.hex) else { return false }
            return status.isFile && status.st_size == size
        } catch {
            if error.concernsOneFile(in: directory) { return false }
            throw error
        }
    }

    /// Whether nothing can be said of what is there, for a reason of its own: nor can anything be put in its place.
    static func isOutOfReach(_ digest: Digest, in directory: Descriptor) -> Bool {
        do throws(SystemError) {
            _ = try directory.status(of: digest.hex)
            return false
        } catch {
            return error.concernsOneFile(in: directory)
        }
    }

    /// Nil if it isn't there, is no regular file or is of another size; a failure if it can't be opened for a reason of
    /// its own.
    private static func open(
        _ digest: Digest, in directory: Descriptor, size: Int64
    ) throws(FeedError) -> Result<Descriptor?, SystemError> {
        do {
            return .success(try openReadable(digest, in: directory, size: size))
        } catch {
            if error.concernsOneFile(in: directory) { return .failure(error) }
            throw error.feedError(.failed)
        }
    }

    /// Nil if it isn't there, is no regular file or is of another size.
    static func openReadable(
        _ digest: Digest, in directory: Descriptor, size: Int64
    ) throws(SystemError) -> Descriptor? {
        do {
            // Not to wait for the other end of a pipe that somebody put here.
            let file = try directory.open(digest.hex, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            return status.isFile && status.st_size == size ? file : nil
        } catch {
            // Nothing there, a link, or a socket.
            if [ENOENT, ELOOP, ENXIO].contains(error.code) { return nil }
            throw error
        }
    }
}
