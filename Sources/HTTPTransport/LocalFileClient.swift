import Dispatch
package import FeedCore
import Synchronization

/// Answers for `file:` URLs as a server would for its own: with 200 and the file's bytes.
package final class LocalFileClient: HTTPClient {
    private static let chunkBytes = 128 << 10

    /// Reading and what the sink does block, which the cooperative pool's threads must not.
    private let queue = DispatchQueue(label: "feedsync.local-files", attributes: .concurrent)

    package init() {}

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Call.Outcome, Never>) in
                queue.async {
                    continuation.resume(returning: Self.answer(request, into: sink, until: cancellation))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try outcome.get()
    }

    private static func answer(
        _ request: HTTPRequest, into sink: any BodySink, until cancellation: Cancellation
    ) -> Call.Outcome {
        do throws(FeedError) {
            try cancellation.check()
            let bytes = try deliver(request, into: sink, until: cancellation)
            try cancellation.check()
            return .success(HTTPResponse(head: head, bodyBytes: bytes))
        } catch {
            return .failure(error)
        }
    }

    private static let head = HTTPHead(status: 200)

    private static func deliver(
        _ request: HTTPRequest, into sink: any BodySink, until cancellation: Cancellation
    ) throws(FeedError) -> Int64 {
        guard let path = request.url.filePath else { throw .invalidData("\(request.url): names no file") }
        let file = try LocalFile(path: path)
        guard try sink.begin(head) else { return 0 }
        guard file.size <= request.maxBytes else { throw .larger(than: request.maxBytes, host: nil) }
        var delivered: Int64 = 0
        while true {
            try cancellation.check()
            let chunk = try file.read(chunkBytes)
            delivered += Int64(chunk.count)
            // It may have grown since it was opened.
            guard delivered <= request.maxBytes else { throw .larger(than: request.maxBytes, host: nil) }
            if !chunk.isEmpty { try sink.receive(chunk) }
            if chunk.count < chunkBytes { return delivered }
        }
    }
}

private final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    func check() throws(FeedError) {
        if isCancelled.load(ordering: .acquiring) { throw .cancelled }
    }
}
