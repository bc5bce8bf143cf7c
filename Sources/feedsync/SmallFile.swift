import FeedCore
import Glibc
import SystemFiles

/// A file that a person writes, such as the config file: read whole, up to a size that no person writes.
struct SmallFile {
    static let mostBytes = 1 << 20

    let path: String

    /// Nil where there is none. `onlyRegular`: nor where it is a pipe or a device, of which nobody knows when it ends.
    func read(onlyRegular: Bool = false) throws(FeedError) -> [UInt8]? {
        if onlyRegular {
            var status = stat()
            guard stat(path, &status) == 0, status.isFile else { return nil }
        }
        // Not to wait here for somebody who writes to a pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failed(lastError)
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            guard Channel(descriptor: descriptor).wait(for: POLLIN) else { throw .cancelled }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return content }
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw failed(lastError) }
                continue
            }
            content += chunk[..<count]
            guard content.count <= Self.mostBytes else { throw failed("it is larger than 1M") }
        }
    }

    private func failed(_ reason: String) -> FeedError { .storage(.failed, reason) }
}
