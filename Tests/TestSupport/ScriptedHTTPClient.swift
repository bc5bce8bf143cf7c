package import FeedCore
import Synchronization

/// A client that answers by script and records what it was asked, in order.
package final class ScriptedHTTPClient: HTTPClient {
    package struct Answer: Sendable {
        package var head: HTTPHead
        package var body: [[UInt8]] = []
        package var redirectTarget: String?
        package var error: FeedError?
        /// Runs before the answer is given: where a test holds a request back, or cancels it.
        package var before: (@Sendable () async -> Void)?

        package static func ok(
            _ body: [UInt8], validators: Validators = Validators(), contentType: String? = nil
        ) -> Answer {
            let head = HTTPHead(status: 200, validators: validators, contentType: contentType)
            return Answer(head: head, body: body.isEmpty ? [] : [body])
        }

        package static func status(_ status: Int, validators: Validators = Validators()) -> Answer {
            Answer(head: HTTPHead(status: status, validators: validators))
        }

        package static func redirect(_ status: Int = 302, to target: String?) -> Answer {
            Answer(head: HTTPHead(status: status), redirectTarget: target)
        }

        package static func failure(_ error: FeedError) -> Answer {
            Answer(head: HTTPHead(status: 0), error: error)
        }

        package func after(_ before: @escaping @Sendable () async -> Void) -> Answer {
            var answer = self
            answer.before = before
            return answer
        }
    }

    private let answer: @Sendable (HTTPRequest) -> Answer
    private let recorded = Mutex<[HTTPRequest]>([])

    package var requests: [HTTPRequest] { recorded.withLock { $0 } }

    package init(_ answer: @escaping @Sendable (HTTPRequest) -> Answer) { self.answer = answer }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        recorded.withLock { $0.append(request) }
        let answer = answer(request)
        await answer.before?()
        guard !Task.isCancelled else { throw .cancelled }
        if let error = answer.error { throw error }
        var count = 0
        if try sink.begin(answer.head) {
            for chunk in answer.body {
                try sink.receive(chunk)
                count += chunk.count
            }
        }
        return HTTPResponse(head: answer.head, redirectTarget: answer.redirectTarget, bodyBytes: Int64(count))
    }
}
