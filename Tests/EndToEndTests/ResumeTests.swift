import TestSupport
import Testing

@Suite("Going on with a body that broke off", .timeLimit(.minutes(10)))
struct ResumeTests {
    private static let image: [UInt8] = Samples.png + (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    private static let etag = "\"v1\""

    private static func offset(_ request: LoopbackServer.Request) -> Int? {
        guard let range = request.header("range"), range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    @Test("A body that broke off is completed by a request for the rest")
    func resumed() async throws {
        let program = try Program()
        let server = try FeedServer(images: 1)
        let count = Counter()
        server.server.route("/0.png") { request in
            if count.next() == 0 {
                var broken = Reply.cutOff(after: 300_000, of: Self.image)
                broken.headers.append(("ETag", Self.etag))
                return broken
            }
            guard let offset = Self.offset(request), request.header("if-range") == Self.etag else { return Reply(400) }
            let range = "bytes \(offset)-\(Self.image.count - 1)/\(Self.image.count)"
            return Reply(
                206, headers: [("Content-Range", range), ("ETag", Self.etag)], body: Array(Self.image[offset...]))
        }
        expectQuiet(try await program.run("--retries", "1", server.feedURL))
        #expect(try await program.run("image", "--offline", server.imageURL(0)).standardOutput == Self.image)
        let requests = server.server.requests.filter { $0.path == "/0.png" }
        #expect(requests.count == 2)
        let offset = try #require(Self.offset(requests[1]))
        #expect((1...300_000).contains(offset))
    }
}
