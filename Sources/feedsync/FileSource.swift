import FeedCore
import Glibc
import SystemFiles

/// An input file, or standard input.
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
        // O_NONBLOCK opens a pipe before it has a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notFound("\(path): can't be read: \(lastError)") }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.isDirectory {
            throw .notFound("\(path): is a directory, not an archive")
        }
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
        try InterruptibleDescriptor(descriptor: descriptor).read(into: buffer) { reason in
            .storage(.failed, "reading \(name) failed: \(reason)")
        }
    }

    func skip(_ count: Int64) -> Int64 {
        var status = stat()
        let position = lseek(descriptor, 0, SEEK_CUR)
        guard position >= 0, fstat(descriptor, &status) == 0, status.isFile else { return 0 }
        let target = min(position + Int(count), Int(status.st_size))
        return target > position && lseek(descriptor, target, SEEK_SET) == target ? Int64(target - position) : 0
    }

    /// Reads a whole file that a user writes, such as the config file; nil if it is missing.
    static func smallFile(_ path: String) throws(FeedError) -> [UInt8]? {
        // O_NONBLOCK opens a pipe before it has a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .storage(.failed, lastError)
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { chunk.deallocate() }
        while content.count <= mostOfSmallFile {
            let count = try InterruptibleDescriptor(descriptor: descriptor).read(into: chunk) { .storage(.failed, $0) }
            if count == 0 { return content }
            content += chunk[..<count]
        }
        throw .storage(.failed, "it is larger than 1M")
    }

    private static let mostOfSmallFile = 1 << 20
}
