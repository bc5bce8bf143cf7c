import TestSupport
import Testing

@Suite("Feeds that are not well-formed", .timeLimit(.minutes(10)))
struct ForgivingFeedTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private var feed: String { server.server.url("/feed.xml") }

    private func items(_ numbers: Range<Int>) -> String {
        numbers.map { "<item><enclosure type='image/png' url='/\($0).png?a=1&b=\($0)'/></item>\n" }.joined()
    }

    @Test("A malformed feed is repaired and synced, and only -v says so")
    func forgiven() async throws {
        server.server.route("/feed.xml", .text("<rss><channel>\n\(items(0..<2))</channel></rss>", type: "text/xml"))
        for number in 0..<2 { server.server.route("/\(number).png?a=1&b=\(number)", .png(number)) }
        expectQuiet(try await program.run(feed))
        #expect(Files.names(in: program.imageDirectory).count == 2)
        expectQuiet(try await program.run(feed))

        let note = #"line 2: a raw "&", and another fault; read for what it says"#
        let told = try await program.run("-v", feed)
        #expect(told.exitCode == 0)
        #expect(told.errorText.contains("\(feed): \(note)\n"), "\(told.errorText)")
    }

    @Test("A malformed feed from a broken connection is not taken for complete, and the saved feed stays")
    func cutOff() async throws {
        let whole = "<rss><channel>\n\(items(0..<2))</channel></rss>"
        server.server.route("/feed.xml", .text(whole, type: "text/xml"))
        for number in 0..<2 { server.server.route("/\(number).png?a=1&b=\(number)", .png(number)) }
        expectQuiet(try await program.run(feed))
        let before = try await program.saved(feed)

        let cut = Array("<rss><channel>\n\(items(0..<1))".utf8)
        server.server.route("/feed.xml", Reply(body: cut, framing: .untilClosed, ending: .close))
        let result = try await program.run(feed)

        #expect(result.status == .exited(65), "\(result.errorText)")
        let reason = #"\#(feed): line 3, column 1: cut off: "</rss>" is missing"#
        #expect(result.errorLines.first == "feedsync: \(reason)", "\(result.errorText)")
        #expect(try await program.saved(feed) == before)
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }
}
