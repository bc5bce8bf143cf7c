import CacheArchive
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Data after the end of an archive is ignored")
struct TrailingDataTests {
    private static let trailers: [(byte: UInt8, count: Int)] = [
        (0, 1), (1, 1), (0, 9000), (7, 4096), (7, 1 << 20), (0, 65 << 20),
    ]

    private let tar = LayoutBuilder().tar()

    private func expectTaken(
        _ archive: [UInt8], inPiecesOf most: Int = .max, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let fixture = ArchiveFixture()
        try await fixture.takeIn(archive, inPiecesOf: most)
        #expect(try await fixture.images.totals().count == 2, sourceLocation: sourceLocation)
    }

    @Test("data after the end of a plain archive is ignored", arguments: trailers)
    func plain(trailer: (byte: UInt8, count: Int)) async throws {
        try await expectTaken(tar + [UInt8](repeating: trailer.byte, count: trailer.count))
    }

    @Test(
        "data after the end of a gzip stream is ignored, even if it arrives byte by byte", arguments: trailers.prefix(4)
    )
    func gzip(trailer: (byte: UInt8, count: Int)) async throws {
        let archive =
            try await Subprocess.gzip(tar) + [UInt8](repeating: trailer.byte, count: trailer.count)
        try await expectTaken(archive)
        try await expectTaken(archive, inPiecesOf: 1)
    }

    @Test("data that was compressed after the archive is ignored, however far it expands", arguments: ["gzip", "zstd"])
    func compressed(compressor: String) async throws {
        for trailer in Self.trailers {
            let padded = tar + [UInt8](repeating: trailer.byte, count: trailer.count)
            try await expectTaken(
                try await Subprocess.run(compressor, ["-c"], standardInput: padded).standardOutput)
        }
    }

    @Test("another archive after the end of an archive is ignored") func another() async throws {
        let other = LayoutBuilder(url: "https://feeds.example/second").tar()
        for end in [tar, other, try await Subprocess.gzip(other)] {
            try await expectTaken(tar + end)
            try await expectTaken(try await Subprocess.gzip(tar) + end)
        }
    }

    @Test("a byte after the end of a zstd stream is reported as damage") func zstd() async throws {
        let archive = try await Subprocess.run("zstd", ["-c"], standardInput: tar).standardOutput
        try await expectTaken(archive)
        let reason = try await ArchiveFixture().refusal(of: archive + [1])
        #expect(reason?.contains("the archive is damaged or cut off") == true, "\(reason ?? "taken")")
    }
}
