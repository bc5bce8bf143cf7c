import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// The tar reader is done by then, and whoever decompresses need not look: that it is refused is a thing of its own.
@Suite("Data after the end of a compressed archive is refused", .timeLimit(.minutes(10)))
struct TrailingDataTests {
    private static let names = ["x.tar.gz", "x.tar.xz", "x.tar.zst"]
    /// So many of a byte. Zeros by fours an xz stream may be filled up with: there they are no data.
    private static let trailers: [(byte: UInt8, count: Int)] = [(0, 1), (1, 1), (0, 4095), (7, 4096), (7, 1 << 20)]

    private let whole: ArchiveFixture

    init() async throws { whole = try await .sample(images: 1) }

    @Test("whatever it is", arguments: names, trailers)
    func whatever(name: String, trailer: (byte: UInt8, count: Int)) async throws {
        let archive = try await whole.export(as: name)
        #expect(try await ArchiveFixture().refusal(of: archive) == nil)
        try await expectRefusal(of: archive + [UInt8](repeating: trailer.byte, count: trailer.count))
    }

    @Test("also where it comes late", arguments: names, trailers)
    func late(name: String, trailer: (byte: UInt8, count: Int)) async throws {
        let archive = try await whole.export(as: name)
        // As from a pipe that somebody writes to once more.
        let late = archive + [UInt8](repeating: trailer.byte, count: min(trailer.count, 4096))
        for most in [archive.count, 1] { try await expectRefusal(of: late, inPiecesOf: most) }
    }

    @Test("also if it is another archive, or the same once more", arguments: names)
    func another(name: String) async throws {
        let archive = try await whole.export(as: name)
        try await expectRefusal(of: archive + archive)
        try await expectRefusal(of: archive + whole.export())
    }

    @Test("and said to be there, also where what decompresses takes it for damage", arguments: names, 1...16)
    func told(name: String, count: Int) async throws {
        let archive = try await whole.export(as: name) + [UInt8](repeating: UInt8(ascii: "x"), count: count)
        for most in [.max, 1] {
            let error = await #expect(throws: FeedError.self) {
                try await ArchiveFixture().takeIn(archive, inPiecesOf: most)
            }
            #expect(error?.message.contains("there is data after ") == true, "\(error?.message ?? "taken")")
        }
    }

    private func expectRefusal(
        of archive: [UInt8], inPiecesOf most: Int = .max, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let fixture = ArchiveFixture()
        let error = await #expect(throws: FeedError.self, sourceLocation: sourceLocation) {
            try await fixture.takeIn(archive, inPiecesOf: most)
        }
        #expect(error?.kind == .invalidData, sourceLocation: sourceLocation)
        #expect(try await fixture.feeds.summaries().isEmpty, sourceLocation: sourceLocation)
        #expect(try await fixture.images.totals().count == 0, sourceLocation: sourceLocation)
    }
}
