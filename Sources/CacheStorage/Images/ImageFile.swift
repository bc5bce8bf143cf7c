internal import FeedCore
internal import Glibc
internal import Hashing
internal import Synchronization
internal import SystemFiles

/// Reads and checks image files, whose names are their digests.
enum ImageFile {
    /// The mode of an image file.
    ///
    /// A stored file stays unchanged. All users may read it, because galleries link to it; the cache directory itself
    /// is private.
    static let mode: mode_t = 0o444

    /// Returns the bytes of the file, or nil if the file is missing, lost or damaged.
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

    /// The name and the size that a file should have.
    struct Expected: Sendable {
        let digest: Digest
        let size: Int64
    }

    enum Condition {
        case intact
        /// The file has another size or, if it `wasRead`, another digest.
        case damaged(wasRead: Bool)
        /// The file is missing, or its name belongs to an entry of another kind.
        case missing
        /// The condition is unknown, because this one file can't be read.
        case unread(SystemError)

        var isIntact: Bool { if case .intact = self { true } else { false } }
    }

    /// Returns whether the file exists and has the expected size and digest.
    static func condition(
        of digest: Digest, size: Int64, in directory: Descriptor
    ) throws(FeedError) -> Condition {
        switch try open(digest, in: directory, size: size) {
        case .failure(let error): return .unread(error)
        case .success(nil):
            do throws(SystemError) {
                return try directory.status(of: digest.hex)?.isFile == true ? .damaged(wasRead: false) : .missing
            } catch {
                guard error.concernsOneFile(in: directory) else { throw error.feedError(.failed) }
                return .unread(error)
            }
        case .success(let file?):
            switch try file.digest() {
            case .success(let found): return found == digest ? .intact : .damaged(wasRead: true)
            case .failure(let error) where !error.concernsOneFile(in: directory): throw error.feedError(.failed)
            case .failure(let error): return .unread(error)
            }
        }
    }

    /// Fills the buffer from `offset`.
    ///
    /// Returns false if the file is missing or has another size than `size`.
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

    /// Returns whether the file is intact, and makes it durable and read-only.
    static func isTrustworthy(_ digest: Digest, size: Int64, in directory: Descriptor) -> Bool {
        do {
            guard case .success(let file?) = try open(digest, in: directory, size: size),
                case .success(digest) = try file.digest()
            else { return false }
            // `fchmod` fails for another user's file and on a file system without modes.
            let hasMode = try file.status().st_mode & 0o7777 == mode || fchmod(file.number, mode) == 0
            return hasMode && fsync(file.number) == 0
        } catch {
            // After any failure, the staged copy replaces the file.
            return false
        }
    }

    /// Returns whether a file of that size exists, without reading its bytes.
    ///
    /// A file that can't be examined counts as missing.
    static func isThere(_ digest: Digest, size: Int64, in directory: Descriptor) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let status = try directory.status(of: digest.hex) else { return false }
            return status.isFile && status.st_size == size
        } catch {
            if error.concernsOneFile(in: directory) { return false }
            throw error
        }
    }

    /// Returns for each file whether it exists and has its size, without reading its bytes.
    ///
    /// Two threads share the work, because there may be a million files.
    static func areThere(_ files: [Expected], in directory: Descriptor) throws(FeedError) -> [Bool] {
        let perJob = 1024
        let found = Mutex(Array(repeating: false, count: files.count))
        let failure = SharedFailure()
        WorkerThreads.share((files.count + perJob - 1) / perJob, among: 2) { job in
            let range = job * perJob..<min(files.count, (job + 1) * perJob)
            failure.recording { () throws(FeedError) in
                let areThere = try attempt(.failed) { () throws(SystemError) in
                    try files[range].map { file throws(SystemError) in
                        try isThere(file.digest, size: file.size, in: directory)
                    }
                }
                found.withLock { $0.replaceSubrange(range, with: areThere) }
            }
        }
        try failure.check()
        return found.withLock { $0 }
    }

    /// Returns whether this one file can't be examined, so that it can't be replaced either.
    static func isOutOfReach(_ digest: Digest, in directory: Descriptor) -> Bool {
        do throws(SystemError) {
            _ = try directory.status(of: digest.hex)
            return false
        } catch {
            return error.concernsOneFile(in: directory)
        }
    }

    /// Opens the file.
    ///
    /// Returns nil if it is missing, is not a regular file, or has another size, and a failure if this one file can't
    /// be opened.
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

    /// Opens the file.
    ///
    /// Returns nil if it is missing, is not a regular file, or has another size.
    static func openReadable(
        _ digest: Digest, in directory: Descriptor, size: Int64
    ) throws(SystemError) -> Descriptor? {
        do {
            // `O_NONBLOCK` opens a pipe at this path without waiting for its other end.
            let file = try directory.open(digest.hex, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            return status.isFile && status.st_size == size ? file : nil
        } catch {
            // The file is missing, or is a symbolic link or a socket.
            if [ENOENT, ELOOP, ENXIO].contains(error.code) { return nil }
            throw error
        }
    }
}

extension Descriptor {
    private static let bufferBytes = 128 << 10

    /// Returns the digest of the whole file, whatever the current position is.
    ///
    /// A failed read is returned; a failure of the hash is thrown.
    func digest() throws(FeedError) -> Result<Digest, SystemError> {
        let hash = try SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 64)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count: Int
            do { count = try read(into: buffer, at: offset) } catch { return .failure(error) }
            guard count > 0 else { return .success(try hash.finish()) }
            try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }
}
