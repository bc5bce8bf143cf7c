import JSONText
import TestSupport
import Testing

@Suite("Images that are too small", .timeLimit(.minutes(10)))
struct MinSizeTests {
    private let program: Program
    private let server: FeedServer

    /// A feed of an image of 400 by 300 pixels, one of 90 by 300, and an SVG without a size.
    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
        server.serve(.image(Self.png(400, 300)), at: 0)
        server.serve(.image(Self.png(90, 300)), at: 1)
        server.serve(.image(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)), at: 2)
    }

    private static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        for side in [width, height] { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) } }
        return bytes + [8, 6, 0, 0, 0]
    }

    private func counts(_ result: ProcessResult) throws -> [Int?] {
        try ["downloaded", "cached", "skipped", "failed"].map { try result.json["images"]?[$0]?.int }
    }

    @Test("sync --min-size skips an image with a smaller side, and requests it only under a smaller size")
    func skipping() async throws {
        let first = try await program.run("sync", "--min-size", "100x100", "--json", server.feedURL)
        #expect(first.status == .exited(0), "\(first.errorText)")
        #expect(try counts(first) == [2, 0, 1, 0])
        #expect(first.errorText == "")
        for options in [[], ["--retry-failed"]] {
            let count = server.requestCount
            let second = try await program.run(
                ["sync", "--min-size", "100x200", "--json"] + options + [server.feedURL])
            #expect(try counts(second) == [0, 2, 1, 0])
            #expect(server.paths(after: count) == ["/feed.json"])
        }
        let status = try await program.status()["feeds"]?[0]
        #expect(status?["images_cached"]?.int == 2)
        #expect(status?["images_failed"]?.int == 0)
        let smaller = try await program.run("sync", "--min-size", "90x90", "--json", server.feedURL)
        #expect(try counts(smaller) == [1, 2, 0, 0])
    }

    @Test("A section of the config file has a --min-size of its own, and -v says what is too small")
    func section() async throws {
        let config = try program.directory.write("[feed \"\(server.feedURL)\"]\nmin-size = 100x100\n", to: "config")
        let result = try await program.run("sync", "-v", "--config", config, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.errorText.contains("90x300 pixels, smaller than --min-size"), "\(result.errorText)")
    }

    @Test("A size that is none is wrong usage", arguments: ["100", "0x1", "axb", "-1x5"])
    func usage(size: String) async throws {
        expectOneLine(
            try await program.run("sync", "--min-size=\(size)", server.feedURL), exit: 64, ["such as 1920x1080"])
    }
}
