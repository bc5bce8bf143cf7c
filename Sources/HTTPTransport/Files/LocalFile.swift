import FeedCore
import Glibc

/// A regular file, open for reading; or a pipe, where that will do.
struct LocalFile: ~Copyable {
    /// How soon who waits for a pipe notices that nobody wants it any more, in milliseconds.
    private static let notice: Int32 = 100

    private let descriptor: Int32
    private let path: String
    /// Nil for a pipe.
    let size: Int64?

    init(path: String, _ role: FileRole) throws(FeedError) {
        // Opening a FIFO would else wait for somebody to write to it.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .file(path, errno) }
        do throws(FeedError) {
            size = try Self.size(descriptor, path, role)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    private static func size(
        _ descriptor: Int32, _ path: String, _ role: FileRole
    ) throws(FeedError) -> Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFIFO where role == .operand: return nil
        case S_IFDIR: throw FeedError(role.kindOfWrongFile, "\(path): a directory, not a file")
        default: throw FeedError(role.kindOfWrongFile, "\(path): not a regular file")
        }
    }

    deinit { close(descriptor) }

    /// The next bytes, at most `count`; none at the end, or where it is a pipe that is no longer wanted.
    func read(_ count: Int, until isUnwanted: () -> Bool) throws(FeedError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // A pipe that nobody has written to yet would seem to be at its end.
            while size != nil || waitForBytes(until: isUnwanted) {
                let got = Glibc.read(descriptor, buffer.baseAddress, count)
                if got >= 0 {
                    filled = got
                    return
                }
                if errno != EINTR && errno != EAGAIN {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw .file(path, failure) }
        return bytes
    }

    private func waitForBytes(until isUnwanted: () -> Bool) -> Bool {
        while !isUnwanted() {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&ready, 1, Self.notice)
            if count > 0 || (count < 0 && errno != EINTR) { return true }
        }
        return false
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
