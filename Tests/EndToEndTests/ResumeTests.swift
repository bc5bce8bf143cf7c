import TestSupport
import Testing

@Suite("Going on with a body that broke off", .timeLimit(.minutes(10)))
struct ResumeTests {
    private let program: Program
    private let server: FeedServer
    private static let image: [UInt8] = Samples.png + (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    private static let etag = "\"v1\""

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    /// Serves an image whose first response breaks off; the next response is `then`.
    private func serve(etag: String?, then: @escaping @Sendable (LoopbackServer.Request) -> Reply) {
        let count = Counter()
        server.server.route("/0.png") { request in
            guard count.next() == 0 else { return then(request) }
            var broken = Reply.cutOff(after: 300_000, of: Self.image)
            if let etag { broken.headers.append(("ETag", etag)) }
            return broken
        }
    }

    private var imageRequests: [LoopbackServer.Request] { server.server.requests.filter { $0.path == "/0.png" } }

    private func expectWhole(_ image: [UInt8] = Self.image, requests: Int = 2) async throws {
        expectQuiet(try await program.run("--retries", "1", server.feedURL))
        #expect(try await program.run("image", "--offline", server.imageURL(0)).standardOutput == image)
        #expect(imageRequests.count == requests)
    }

    private static func offset(_ request: LoopbackServer.Request) -> Int? {
        guard let range = request.header("range"), range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    @Test("A body that broke off is completed by a request for the rest")
    func resumed() async throws {
        serve(etag: Self.etag) { request in
            guard let offset = Self.offset(request), request.header("if-range") == Self.etag else { return Reply(400) }
            let rest = Array(Self.image[offset...])
            return Reply(
                206,
                headers: [
                    ("Content-Range", "bytes \(offset)-\(Self.image.count - 1)/\(Self.image.count)"),
                    ("ETag", Self.etag),
                ], body: rest)
        }
        try await expectWhole()
        let offset = try #require(Self.offset(imageRequests[1]))
        #expect((1...300_000).contains(offset))
    }

    @Test("A single image is complete although the server starts from the beginning", arguments: [nil, etag])
    func startedOver(etag: String?) async throws {
        serve(etag: etag) { _ in Reply(body: Self.image) }
        #expect(try await program.run("image", "--retries", "1", server.imageURL(0)).standardOutput == Self.image)
        #expect(try await program.run("image", "--offline", server.imageURL(0)).standardOutput == Self.image)
        #expect(imageRequests.count == 2)
    }

    @Test("A body that has changed meanwhile is downloaded as a whole")
    func changed() async throws {
        let new = Samples.png("new")
        serve(etag: Self.etag) { _ in Reply(headers: [("ETag", "\"v2\"")], body: new) }
        try await expectWhole(new)
        #expect(Self.offset(imageRequests[1]) != nil)
    }

    @Test("A body without a strong entity tag is requested as a whole", arguments: [nil, "W/\"v1\""])
    func weak(etag: String?) async throws {
        serve(etag: etag) { _ in .image(Self.image) }
        try await expectWhole()
        #expect(imageRequests[1].header("range") == nil)
    }

    @Test(
        "The rest of another version is never appended to a body that broke off",
        arguments: [(nil, image.count), ("\"v2\"", image.count), ("\"v2\"", 350_000), ("\"v1\"", 450_000)])
    func otherVersion(etag: String?, count: Int) async throws {
        let new = Samples.png("new") + [UInt8](repeating: 7, count: count - Samples.png("new").count)
        let headers = etag.map { [(name: "ETag", value: $0)] } ?? []
        serve(etag: Self.etag) { request in
            guard let offset = Self.offset(request) else { return Reply(headers: headers, body: new) }
            let range = (name: "Content-Range", value: "bytes \(offset)-\(count - 1)/\(count)")
            return Reply(206, headers: headers + [range], body: Array(new[offset...]))
        }
        try await expectWhole(new, requests: 3)
    }
}
