import FeedCore
import TestSupport
import Testing

@Suite("Redirects")
struct RedirectFollowerTests {
    private func answer(
        to start: String, limit: Int = 10, _ script: @escaping @Sendable (HTTPRequest) -> ScriptedHTTPClient.Answer
    ) async throws -> (HTTPResponse, asked: [String]) {
        let client = ScriptedHTTPClient(script)
        let request = HTTPRequest(url: try Samples.url(start), validators: Validators(etag: "\"a\""), maxBytes: 7)
        let response = try await RedirectFollower(client, limit: limit).get(request, into: IgnoredBody())
        #expect(client.requests.allSatisfy { $0.validators == request.validators && $0.maxBytes == 7 })
        return (response, client.requests.map(\.url.text))
    }

    @Test("are followed to where they lead", arguments: [301, 302, 303, 307, 308])
    func followed(status: Int) async throws {
        let (response, asked) = try await answer(to: "http://a.example/") { request in
            request.url.text == "https://b.example/x" ? .ok([1]) : .redirect(status, to: "https://b.example/x")
        }
        #expect(response.head.status == 200)
        #expect(asked == ["http://a.example/", "https://b.example/x"])
    }

    @Test("without a target, or of a kind that is no redirect, are answers as they are", arguments: [300, 302, 304])
    func noRedirect(status: Int) async throws {
        let (response, asked) = try await answer(to: "http://a.example/") { _ in .redirect(status, to: nil) }
        #expect(response.head.status == status)
        #expect(asked.count == 1)
    }

    @Test("may be as many as the limit, and not one more", arguments: [0, 1, 3])
    func limit(limit: Int) async throws {
        let hops = ["http://a.example/0", "http://a.example/1", "http://a.example/2", "http://a.example/3"]
        let within = try await answer(to: hops[3 - limit], limit: limit) { request in
            guard let hop = hops.firstIndex(of: request.url.text), hop < 3 else { return .ok([1]) }
            return .redirect(to: hops[hop + 1])
        }
        #expect(within.asked.count == limit + 1)
        let error = await #expect(throws: FeedError.self) {
            try await answer(to: "http://a.example/", limit: limit) { _ in .redirect(to: "http://a.example/") }
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.contains("more than \(limit) redirects") == true)
    }

    @Test(
        "never lead to a local file or anything that is not http(s)",
        arguments: [
            "file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "gopher://a/", "http://", "data:,x",
        ])
    func refused(target: String) async throws {
        let error = await #expect(throws: FeedError.self) {
            try await answer(to: "http://a.example/") { _ in .redirect(to: target) }
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.host == "a.example")
    }
}

private struct IgnoredBody: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
