import FeedCore
import Glibc

/// A regular file, open for reading.
struct LocalFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    let size: Int64

    init(path: String) throws(FeedError) {
        // Opening a FIFO would else wait for somebody to write to it.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .file(path, errno) }
        do throws(FeedError) {
            size = try Self.sizeOfRegularFile(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    private static func sizeOfRegularFile(_ descriptor: Int32, _ path: String) throws(FeedError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFDIR: throw .invalidData("\(path): a folder, not a file")
        default: throw .invalidData("\(path): not a regular file")
        }
    }

    deinit { close(descriptor) }

    /// The next bytes, fewer than `count` only at the end of the file.
    func read(_ count: Int) throws(FeedError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw .file(path, failure) }
        return bytes
    }
}

extension FeedError {
    /// Never a fault of storage: that is the cache's own, and ends the run.
    fileprivate static func file(_ path: String, _ code: Int32) -> FeedError {
        switch code {
        case ENOENT, ENOTDIR: .notFound("no such file").adding(": \(path)")
        case EACCES, EPERM, ELOOP: .notFound("\(path): \(String(cString: strerror(code)))")
        // As of a server: another time it may be read.
        default: .connectivity("\(path): \(String(cString: strerror(code)))")
        }
    }
}
