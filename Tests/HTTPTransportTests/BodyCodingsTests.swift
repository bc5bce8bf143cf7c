import FeedCore
import HTTPTransport
import TestSupport
import Testing

@Suite("The encodings of a body", .timeLimit(.minutes(10)))
struct BodyCodingsTests {
    private func refusal(of codings: [(String, String)], mayBeCompressed: Bool) async throws -> FeedError? {
        let server = try LoopbackServer("/", Reply(headers: codings, body: gzipOfNothing))
        var request = try makeRequest(server.url())
        request.mayBeCompressed = mayBeCompressed
        return await failure(of: request, by: try makeClient())
    }

    @Test(
        "are refused where they are several, on however many lines",
        arguments: [
            [("Content-Encoding", "gzip, gzip")], [("Content-Encoding", "identity, GZIP ,x-gzip")],
            [("content-encoding", "deflate"), ("Content-Encoding", "br")],
            [("Transfer-Encoding", "gzip"), ("Content-Encoding", "gzip")],
            [("Content-Encoding", "gzip\u{B}, gzip\u{C}")], [("Content-Encoding", "gzip\u{1}\u{A0}, gzip\u{FFFD}")],
        ], [true, false])
    func several(codings: [(String, String)], mayBeCompressed: Bool) async throws {
        let error = try await refusal(of: codings, mayBeCompressed: mayBeCompressed)
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasPrefix("the body is encoded more than once: ") == true)
    }

    @Test("are refused where they need a large window, unless asked for")
    func large() async throws {
        for (coding, mayBeCompressed) in [("zstd", true), ("zstd", false), ("br", false)] {
            let error = try await refusal(of: [("Content-Encoding", coding)], mayBeCompressed: mayBeCompressed)
            #expect(error?.message == "the body is encoded as \(coding), which was not asked for")
        }
    }

    @Test("that need little room are decoded, asked for or not", arguments: ["gzip", "x-gzip", "identity, gzip"])
    func small(coding: String) async throws {
        #expect(try await refusal(of: [("Content-Encoding", coding)], mayBeCompressed: false) == nil)
    }

    @Test("are nobody's concern where the status says all")
    func status() async throws {
        let reply = Reply(404, headers: [("Content-Encoding", "zstd, zstd")], body: zstdOfSpaces(blocks: 1000))
        let server = try LoopbackServer("/", reply)
        let response = try await makeClient().get(makeRequest(server.url()), into: RecordingSink(isWanted: false))
        #expect(response.head.status == 404)
    }
}
