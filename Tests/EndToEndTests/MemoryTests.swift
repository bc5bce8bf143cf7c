import Glibc
import TestSupport
import Testing

@Suite("The memory that a large feed needs", .timeLimit(.minutes(30)))
struct MemoryTests {
    private static let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>"
    private static let image = "<enclosure url='/0.png'/>"

    /// Makes a feed of one item.
    ///
    /// `#` in `item` stands for the text of that size.
    private static func rss(_ item: String, of size: Int, _ piece: String) -> String {
        let text = String(repeating: piece, count: size / piece.utf8.count)
        return "<rss><channel><item>\(image)</item>\(item.replacing("#", with: text))</channel></rss>"
    }

    private static func inLatin(_ text: String) -> [UInt8] {
        Array(latin.utf8) + text.unicodeScalars.map { UInt8($0.value) }
    }

    /// The ways in which a reader might hold a feed several times.
    ///
    /// Each makes a feed of about a given number of bytes.
    private static let feeds: [String: @Sendable (Int) -> [UInt8]] = [
        "Latin-1 in one item": { inLatin(rss("<item><description>#</description></item>", of: $0, "é")) },
        "Latin-1 in many items": { inLatin(rss("#", of: $0, "<item><title>café</title></item>")) },
        "HTML in one item": {
            let item = "<item><description><![CDATA[<img src=/0.png>#]]></description></item>"
            return Array(rss(item, of: $0, "<p>some <b>words").utf8)
        },
        "broken XML": { Array(rss("&<item><description>#</description></item>", of: $0, "a & b <br/> ").utf8) },
        "JSON": {
            let text = String(repeating: #"<p class=\"a\">words "#, count: $0 / 22)
            let item = #"{"image":"/0.png","content_html":"\#(text)"}"#
            return Array(#"{"version":"https://jsonfeed.org/version/1","items":[\#(item)]}"#.utf8)
        },
    ]

    /// Returns the program's peak memory until it has read the feed and requested the image.
    private func peak(_ body: [UInt8]) async throws -> Int {
        let program = try Program()
        let gate = Gate()
        let server = try LoopbackServer("/feed", Reply(headers: [("Content-Type", "text/xml")], body: body))
        server.route("/0.png", Reply(body: Samples.png, gate: gate))
        let run = try program.start("sync", server.url("/feed"))
        await run.comes(to: gate)
        let peak = try Self.peak(of: run.pid)
        gate.open()
        let result = await run.wait()
        #expect(result.status == .exited(0), "\(result.errorText)")
        return peak
    }

    private static func peak(of pid: Int32) throws -> Int {
        let status = String(decoding: try Files.bytes("/proc/\(pid)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) }) << 10
    }

    @Test("The memory of a sync grows by a small multiple of the feed's growth", arguments: feeds.keys.sorted())
    func growth(name: String) async throws {
        let feed = try #require(Self.feeds[name])
        let (small, large) = (feed(1 << 20), feed(5 << 20))
        let growth = try await peak(large) - peak(small)
        // An é takes two bytes in UTF-8, and a growing text is copied.
        #expect(growth <= 8 * (large.count - small.count), "\(growth >> 20) MB more")
    }

    @Test("A feed with more images than its size allows is refused")
    func images() async throws {
        let program = try Program()
        let server = try FeedServer(images: 17)
        let result = try await program.run("sync", "--max-feed-size", "4K", server.feedURL)
        #expect(result.status == .exited(65))
        #expect(result.errorText.contains("more than 16 images (see --max-feed-size)"), "\(result.errorText)")
        expectQuiet(try await program.run("sync", "--max-feed-size", "5K", server.feedURL))
    }
}
