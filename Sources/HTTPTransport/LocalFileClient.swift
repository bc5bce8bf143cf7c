import Dispatch
package import FeedCore
import Glibc
import Synchronization

/// Responds to requests for `file:` URLs as a server would: with status 200 and the bytes of the file.
package final class LocalFileClient: HTTPClient {
    private static let chunkBytes = 128 << 10

    /// Runs the reads and the sinks, which block and must stay off the cooperative pool.
    private let queue = DispatchQueue(label: "feedsync.local-files", attributes: .concurrent)

    private let role: FileRole

    package init(for role: FileRole = .content) { self.role = role }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Call.Outcome, Never>) in
                queue.async { [role] in
                    continuation.resume(returning: Self.answer(request, role, into: sink, until: cancellation))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try outcome.get()
    }

    private static func answer(
        _ request: HTTPRequest, _ role: FileRole, into sink: any BodySink, until cancellation: Cancellation
    ) -> Call.Outcome {
        Result { () throws(FeedError) in
            try cancellation.check()
            let bytes = try deliver(request, role, into: sink, until: cancellation)
            try cancellation.check()
            return HTTPResponse(head: head, bodyBytes: bytes)
        }
    }

    private static let head = HTTPHead(status: 200)

    private static func deliver(
        _ request: HTTPRequest, _ role: FileRole, into sink: any BodySink, until cancellation: Cancellation
    ) throws(FeedError) -> Int64 {
        guard let path = request.url.filePath else { throw .invalidData("\(request.url): names no file") }
        let file = try LocalFile(path: path, role)
        guard try sink.begin(head) else { return 0 }
        guard file.size ?? 0 <= request.maxBytes else { throw .larger(than: request.maxBytes, host: nil) }
        var delivered: Int64 = 0
        while true {
            try cancellation.check()
            let chunk = try file.read(chunkBytes) { cancellation.isCancelled }
            if chunk.isEmpty { return delivered }
            delivered += Int64(chunk.count)
            // The file may have grown since it was opened.
            guard delivered <= request.maxBytes else { throw .larger(than: request.maxBytes, host: nil) }
            try sink.receive(chunk)
        }
    }
}

private final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }

    func check() throws(FeedError) {
        if isCancelled { throw .cancelled }
    }
}

/// The role of a file, which decides how it may be opened.
package enum FileRole: Sendable {
    /// A feed or an image, which corresponds to a server's resource.
    case content
    /// A file that an option names. It may be a pipe, and any other kind of file counts as missing.
    case operand

    var kindOfWrongFile: FeedError.Kind { self == .content ? .invalidData : .notFound }
}

/// A regular file or a permitted pipe, open for reading.
struct LocalFile: ~Copyable {
    /// The interval at which a read from a pipe checks for cancellation, in milliseconds.
    private static let pollInterval: Int32 = 100

    private let descriptor: Int32
    private let path: String
    /// The size of the file; nil for a pipe.
    let size: Int64?

    init(path: String, _ role: FileRole) throws(FeedError) {
        // O_NONBLOCK opens a FIFO before it has a writer.
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

    /// Returns the next bytes, at most `count`.
    ///
    /// It returns an empty array at the end, and for a pipe after a cancellation.
    func read(_ count: Int, until isUnwanted: () -> Bool) throws(FeedError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // A pipe without a writer would otherwise seem to be at its end.
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
            let count = poll(&ready, 1, Self.pollInterval)
            if count > 0 || (count < 0 && errno != EINTR) { return true }
        }
        return false
    }
}

extension FeedError {
    /// Returns the error for a failed system call.
    ///
    /// It is never a storage error, which would mean a broken cache and end the run.
    fileprivate static func file(_ path: String, _ code: Int32) -> FeedError {
        switch code {
        case ENOENT, ENOTDIR: .notFound("no such file").adding(": \(path)")
        case EACCES, EPERM, ELOOP: .notFound("\(path): \(String(cString: strerror(code)))")
        // The failure may pass, as with a server.
        default: .connectivity("\(path): \(String(cString: strerror(code)))")
        }
    }
}
