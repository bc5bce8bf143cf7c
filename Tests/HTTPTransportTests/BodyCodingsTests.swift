import FeedCore
import HTTPTransport
import TestDoubles
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
        "a body with several encodings is refused, on however many lines they are",
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

    @Test(
        "an unsupported content encoding and any transfer encoding is refused",
        arguments: [true, false])
    func refused(mayBeCompressed: Bool) async throws {
        for coding in ["br", "ZSTD", "compress"] {
            let error = try await refusal(of: [("Content-Encoding", coding)], mayBeCompressed: mayBeCompressed)
            let name = coding.lowercased()
            #expect(error?.message == "the body is encoded as \(name), which can't be decoded: gzip, deflate can")
            #expect(error?.kind == .invalidData)
        }
        let error = try await refusal(of: [("Transfer-Encoding", "gzip")], mayBeCompressed: mayBeCompressed)
        #expect(error?.message == "the body is encoded as gzip on its way, unasked for")
        #expect(error?.kind == .invalidData)
    }

    @Test("the message about many encodings is short")
    func many() async throws {
        let codings = Array(repeating: "gzip", count: 1000).joined(separator: ",")
        let error = try await refusal(of: [("Content-Encoding", codings)], mayBeCompressed: true)
        #expect(error?.message == "the body is encoded more than once: gzip, gzip, gzip, gzip")
    }

    @Test(
        "gzip and deflate bodies are decoded, requested or not",
        arguments: ["gzip", "x-gzip", "identity, gzip", "gzip,aws-chunked"], [true, false])
    func small(coding: String, mayBeCompressed: Bool) async throws {
        let packed = try await Subprocess.gzip(pattern(1000))
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", coding)], body: packed))
        var request = try makeRequest(server.url())
        request.mayBeCompressed = mayBeCompressed
        let sink = RecordingSink()
        let response = try await makeClient().get(request, into: sink)
        #expect(sink.received(pattern(1000)))
        #expect(response.bodyBytes == 1000)
        #expect(response.head.isContentEncoded)
    }

    /// The names come from object stores and misconfigured servers, whose bodies are not encoded at all.
    @Test(
        "unknown names of encodings leave a body unchanged", arguments: ["aws-chunked", "UTF-8", "binary"],
        [1000, 300_000])
    func unknown(coding: String, size: Int) async throws {
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", coding)], body: pattern(size)))
        let sink = RecordingSink()

        let response = try await makeClient().get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 200)
        #expect(!response.head.isContentEncoded)
        #expect(sink.received(pattern(size)))
        #expect(server.requests.count == 1)
    }

    @Test("the encoding of an unwanted body is ignored")
    func status() async throws {
        let reply = Reply(404, headers: [("Content-Encoding", "zstd, zstd")], body: zstdOfSpaces(blocks: 1000))
        let server = try LoopbackServer("/", reply)
        let response = try await makeClient().get(makeRequest(server.url()), into: RecordingSink(isWanted: false))
        #expect(response.head.status == 404)
    }
}
