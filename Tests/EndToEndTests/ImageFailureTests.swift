import JSONText
import TestSupport
import Testing

@Suite("Images that can't be had", .timeLimit(.minutes(10)))
struct ImageFailureTests {
    private let program: Program

    init() throws { program = try Program() }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reply: Reply
        let kind: String
        let reason: String
    }

    private static let wrong = [
        Wrong(
            testDescription: "an HTML page", reply: .text("<!DOCTYPE html><html>gone</html>", type: "image/png"),
            kind: "invalidData", reason: "no image"),
        Wrong(testDescription: "nothing", reply: Reply(), kind: "invalidData", reason: "empty"),
        Wrong(
            testDescription: "bytes of no known type", reply: .text("GIX89a", type: "image/gif"),
            kind: "invalidData", reason: "no image of a known type"),
        Wrong(
            testDescription: "fewer bytes than announced", reply: .cutOff(after: 15, of: FeedServer.image(1)),
            kind: "connectivity", reason: ""),
        Wrong(
            testDescription: "a connection that breaks",
            reply: Reply(body: FeedServer.image(1), framing: .chunked(size: 5), ending: .reset),
            kind: "connectivity", reason: ""),
        Wrong(testDescription: "404", reply: Reply(404), kind: "invalidData", reason: "404"),
        Wrong(testDescription: "204", reply: Reply(204), kind: "invalidData", reason: "204"),
        Wrong(testDescription: "503", reply: Reply(503), kind: "connectivity", reason: "503"),
        Wrong(
            testDescription: "a redirect to a local file", reply: .redirect(to: "file:///etc/passwd"),
            kind: "invalidData", reason: "local file"),
        Wrong(
            testDescription: "a redirect to itself", reply: .redirect(to: "/1.png"),
            kind: "invalidData", reason: "redirects"),
        Wrong(
            testDescription: "no HTTP", reply: .raw("SSH-2.0-OpenSSH_9.2\r\n"), kind: "connectivity", reason: ""),
        Wrong(
            testDescription: "too many bytes", reply: .image(FeedServer.image(1) + Array(repeating: 0, count: 2000)),
            kind: "invalidData", reason: "larger than 1K"),
        Wrong(
            testDescription: "too many bytes, not announced",
            reply: Reply(
                body: FeedServer.image(1) + Array(repeating: 0, count: 2000), framing: .untilClosed, ending: .close),
            kind: "invalidData", reason: "larger than 1K"),
    ]

    @Test("Each failing status of a host is reported as its own cause")
    func statuses() async throws {
        let server = try FeedServer(images: 4)
        for (image, status) in [(1, 404), (2, 403), (3, 404)] { server.serve(Reply(status), at: image) }
        let result = try await program.run(server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 3, "\(result.errorText)")
        for status in ["2 images from \(server.authority): the server answered HTTP 404", "HTTP 403"] {
            #expect(result.errorText.contains(status), "\(result.errorText)")
        }
    }

    @Test("Each of two failing servers on one machine is reported as its own cause")
    func ports() async throws {
        let server = try FeedServer(images: 4)
        let other = try FeedServer(images: 2)
        server.serve(feedOf: [0, 1].map(server.imageURL) + [0, 1].map(other.imageURL))
        for image in 0..<2 {
            server.serve(Reply(404), at: image)
            other.serve(Reply(404), at: image)
        }
        let result = try await program.run(server.feedURL)
        #expect(result.errorLines.count == 3, "\(result.errorText)")
        for server in [server, other] {
            #expect(result.errorText.contains("2 images from \(server.authority): the server answered HTTP 404"))
        }
    }

    @Test("A line with one of several reasons says that there are others")
    func reasons() async throws {
        let server = try FeedServer(images: 3)
        server.serve(Reply(body: FeedServer.image(0) + Array(repeating: 0, count: 2000)), at: 0)
        server.serve(Reply(body: FeedServer.image(1) + Array(repeating: 0, count: 3000)), at: 1)
        server.serve(.text("<html>no</html>", type: "image/png"), at: 2)
        let result = try await program.run("--max-filesize", "1K", server.feedURL)
        let line = "feedsync: 3 images from \(server.authority): larger than 1K "
        let rest = "(first: \(server.imageURL(0)); 1 for other reasons: see -v)"
        #expect(result.errorLines.first.map(String.init) == line + rest)
    }

    @Test("An unavailable image fails with its reason, and the feed and the other images are saved", arguments: wrong)
    func failure(_ wrong: Wrong) async throws {
        let server = try FeedServer(images: 3)
        server.serve(wrong.reply, at: 1)

        let result = try await program.run("sync", "--json", "--max-filesize", "1K", server.feedURL)

        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 2)
        #expect(result.errorLines.first?.contains("\(server.imageURL(1)): ") == true)
        #expect(result.errorLines.first?.contains(wrong.reason) == true, "\(result.errorText)")
        #expect(result.errorLines.last?.contains("3 images: 0 cached, 2 downloaded") == true)
        let json = try result.json
        #expect(json["failures"]?.array?.count == 1)
        #expect(json["failures"]?[0]?["url"]?.string == server.imageURL(1))
        #expect(json["failures"]?[0]?["kind"]?.string == wrong.kind)
        #expect(json["failures"]?[0]?["message"]?.string?.contains(wrong.reason) == true)
        #expect(json["images"]?["failed"]?.int == 1)
        #expect(json["feeds"]?[0]?["error"]?.isNull == true)
        #expect(Files.names(in: program.imageDirectory).count == 2)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])

        // Only the failed images are tried again.
        server.serve(.png(1), at: 1)
        let before = server.requestCount
        expectQuiet(try await program.run("--retry-failed", server.feedURL))
        #expect(server.paths(after: before) == ["/feed.json", "/1.png"])
    }

    @Test("An image that stalls fails after its time and not earlier", .timeLimit(.minutes(10)))
    func stall() async throws {
        let server = try FeedServer(images: 3)
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(1), stall: (after: 14, gate: gate)), at: 1)
        let result = try await program.run("--timeout", "3", server.feedURL)
        gate.open()
        #expect(result.status == .exited(23))
        #expect(result.errorText.contains("3 seconds"))
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("A hundred images of a dead host and a hundred missing ones give one line each and a summary")
    func causes() async throws {
        let (server, dead) = (try FeedServer(images: 2), try DeadPort())
        let images = (0..<2).map(server.imageURL)
        let gone = (0..<100).map { server.server.url("/gone/\($0).png") }
        server.serve(feedOf: images + gone + (0..<100).map { dead.url("/\($0).png") })

        let result = try await program.run(server.feedURL)

        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 3, "\(result.errorText)")
        #expect(result.errorLines.count { $0.contains("100 images") && $0.contains("404") } == 1)
        #expect(result.errorLines.count { $0.contains("100 images") && $0.contains("connect") } == 1)
        #expect(result.errorLines.last?.contains("202 images: 0 cached, 2 downloaded") == true)
        #expect(result.errorLines.last?.contains("200 failed") == true)
    }

    @Test("A redirected image is saved under the URL in the feed")
    func redirected() async throws {
        let server = try FeedServer(images: 2)
        server.serve(.redirect(308, to: "/elsewhere?x=1"), at: 0)
        server.server.route("/elsewhere?x=1", .png(7))
        expectQuiet(try await program.run(server.feedURL))
        let image = try await program.run("image", "--offline", server.imageURL(0))
        #expect(image.standardOutput == FeedServer.image(7))
    }
}
