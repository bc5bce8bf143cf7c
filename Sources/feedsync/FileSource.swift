import FeedCore
import Glibc
import SystemFiles

/// A file that is read, or standard input.
final class FileSource: ByteSource {
    let name: String
    private let descriptor: Int32

    init(path: String?) throws(FeedError) {
        guard let path else {
            guard isatty(STDIN_FILENO) == 0 else {
                let message = "standard input is a terminal, and an archive is not for typing: redirect it"
                throw .notFound(message).asMisuse()
            }
            (name, descriptor) = ("standard input", STDIN_FILENO)
            return
        }
        name = path
        // Not to wait here for somebody who writes to a pipe.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notFound("\(path): can't be read: \(lastError)") }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.isFolder {
            throw .notFound("\(path): is a folder, not an archive")
        }
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
        while true {
            guard Channel(descriptor: descriptor).wait(for: POLLIN) else { throw .cancelled }
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else {
                throw .storage(.failed, "reading \(name) failed: \(lastError)")
            }
        }
    }
}
