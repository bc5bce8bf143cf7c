import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// What a stream says it needs is reserved before anything of it is known to be right.
@Suite("What is decompressed through a window of more than 64 MiB is refused", .timeLimit(.minutes(10)))
struct WindowTests {
    private static let small: [[String]] = [
        ["gzip", "-9"], ["xz", "-T1", "-9"], ["xz", "-T1", "--x86", "--lzma2=preset=0,dict=64MiB"], ["zstd"],
        ["zstd", "--long=26"],
    ]
    private static let large: [[String]] = [
        ["xz", "-T1", "--lzma2=preset=0,dict=65MiB"], ["xz", "-T1", "--delta", "--lzma2=preset=0,dict=96MiB"],
        ["zstd", "--long=27"],
    ]

    private static func pack(_ bytes: [UInt8], _ command: [String]) async throws -> [UInt8] {
        let result = try await Subprocess.run(command[0], command.dropFirst() + ["-c"], standardInput: bytes)
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result.standardOutput
    }

    private func expectRefusal(
        of archive: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reason = try await ArchiveFixture().refusal(of: archive)
        let isTold = reason?.contains("more than 64 MiB of memory to decompress") == true
        #expect(isTold, "\(reason ?? "taken")", sourceLocation: sourceLocation)
    }

    @Test("but not of so much, or less", arguments: small) func taken(command: [String]) async throws {
        #expect(try await ArchiveFixture().refusal(of: try await Self.pack(LayoutBuilder().tar(), command)) == nil)
    }

    @Test("whatever the format", arguments: large) func refused(command: [String]) async throws {
        try await expectRefusal(of: try await Self.pack(LayoutBuilder().tar(), command))
    }

    @Test("also if one stream of several has it", arguments: large) func second(command: [String]) async throws {
        let whole = LayoutBuilder().tar()
        let (first, rest) = (Array(whole[..<1000]), Array(whole[1000...]))
        let harmless = [command[0]]
        let both = try await Self.pack(first, harmless) + Self.pack(rest, harmless)
        #expect(try await ArchiveFixture().refusal(of: both) == nil)
        try await expectRefusal(of: try await Self.pack(first, harmless) + Self.pack(rest, command))
    }

    @Test("also if it is as large as all that a zstd frame holds") func singleSegment() async throws {
        let plain = LayoutBuilder().tar() + [UInt8](repeating: 0, count: 65 << 20)
        try await expectRefusal(
            of: try await Self.pack(plain, ["zstd", "--long=27", "--stream-size=\(plain.count)"]))
    }

    @Test("and so is a frame as zstd made it before its first version, for which no limit holds") func legacy()
        async throws
    {
        let whole = try await Self.pack(LayoutBuilder().tar(), ["zstd"])
        for version: UInt8 in 0x22...0x27 {
            let reason = try await ArchiveFixture().refusal(of: whole + [version, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0])
            #expect(reason?.contains("data after the end") == true, "\(reason ?? "taken")")
        }
    }
}
