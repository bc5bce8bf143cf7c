package import FeedCore
import Synchronization

/// A client that responds by a script and records the requests in order.
package final class ScriptedHTTPClient: HTTPClient {
    package struct Answer: Sendable {
        package var head: HTTPHead
        package var body: [[UInt8]] = []
        package var redirectTarget: String?
        package var error: FeedError?
        /// The error to throw after the body, or the part of it that exists, has been delivered.
        package var cutOff: FeedError?
        package var isFromPrivateAddress = false
        package var isFromSpecialAddress = false
        /// A closure that runs before the response, for a test to hold up or cancel the request.
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

        /// Returns the rest of a body, from `first` on, of `total` bytes in all.
        package static func rest(
            _ body: [UInt8], from first: Int, of total: Int, etag: String? = "\"v1\""
        ) -> Answer {
            part(body, "bytes \(first)-\(first + body.count - 1)/\(total)", etag: etag)
        }

        package static func part(_ body: [UInt8], _ contentRange: String?, etag: String? = "\"v1\"") -> Answer {
            let head = HTTPHead(status: 206, validators: Validators(etag: etag))
            var answer = Answer(head: head, body: body.isEmpty ? [] : [body])
            answer.head[.contentRange] = contentRange
            return answer
        }

        package func retryAfter(_ seconds: Int) -> Answer {
            var answer = self
            answer.head.retryAfter = .seconds(seconds)
            return answer
        }

        package func cutOff(by error: FeedError) -> Answer {
            var answer = self
            answer.cutOff = error
            return answer
        }

        package func fromPrivateAddress() -> Answer {
            var answer = self
            answer.isFromPrivateAddress = true
            return answer
        }

        package func fromSpecialAddress() -> Answer {
            var answer = self
            answer.isFromSpecialAddress = true
            return answer
        }

        package func after(_ before: @escaping @Sendable () async -> Void) -> Answer {
            var answer = self
            answer.before = before
            return answer
        }
    }

    private let answer: @Sendable (HTTPRequest, Int) -> Answer
    private let recorded = Mutex<[HTTPRequest]>([])
    private let attempts = Mutex<[String: Int]>([:])

    package var requests: [HTTPRequest] { recorded.withLock { $0 } }

    package init(_ answer: @escaping @Sendable (HTTPRequest) -> Answer) {
        self.answer = { request, _ in answer(request) }
    }

    /// The script receives the number of earlier requests for the URL.
    package init(byAttempt answer: @escaping @Sendable (HTTPRequest, Int) -> Answer) { self.answer = answer }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        recorded.withLock { $0.append(request) }
        let earlier = attempts.withLock { attempts in
            defer { attempts[request.url.text, default: 0] += 1 }
            return attempts[request.url.text, default: 0]
        }
        let answer = answer(request, earlier)
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
        if let cutOff = answer.cutOff { throw cutOff }
        var response = HTTPResponse(head: answer.head, redirectTarget: answer.redirectTarget, bodyBytes: Int64(count))
        response.isFromPrivateAddress = answer.isFromPrivateAddress
        response.isFromSpecialAddress = answer.isFromSpecialAddress
        return response
    }
}
