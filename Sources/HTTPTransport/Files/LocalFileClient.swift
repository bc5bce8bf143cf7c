import Dispatch
package import FeedCore
import Synchronization

/// Answers for `file:` URLs as a server would for its own: with 200 and the file's bytes.
package final class LocalFileClient: HTTPClient {
    private static let chunkBytes = 128 << 10

    /// Reading and what the sink does block, which the cooperative pool's threads must not.
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
            // It may have grown since it was opened.
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
