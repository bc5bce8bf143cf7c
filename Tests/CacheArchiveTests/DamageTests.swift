import CacheArchive
import FeedCore
import TestDoubles
import TestSupport
import Testing

/// A damaged archive is either refused or gives the images that were exported.
///
/// The tests take much computing time and therefore run one case at a time, and let other tests run in between.
@Suite("A damaged archive", .serialized, .timeLimit(.minutes(30)))
struct DamageTests {
    private static func small() async throws -> [UInt8] { try await ArchiveFixture.sample(images: 1).export() }

    @Test(
        "an archive that is cut off at any byte is refused or complete", arguments: ["x.tar", "x.tar.gz", "x.tar.zst"])
    func truncation(fileName: String) async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        let whole = try await fixture.export()
        let archive = try await fixture.export(as: fileName)
        var taken = 0
        for length in 0..<archive.count {
            let cut = Array(archive[..<length])
            if try await outcome(of: cut, whole) == .taken { taken += 1 }
        }
        // A plain archive may lack its end marker and the last padding.
        switch fileName {
        case "x.tar": #expect(taken > 0)
        case "x.tar.gz": #expect(taken == 0)
        default: #expect(taken <= 8)
        }
    }

    @Test("an archive that ends too early is reported as cut off", arguments: ["x.tar.gz", "x.tar.zst"])
    func truncationTold(fileName: String) async throws {
        let archive = try await ArchiveFixture.sample(images: 1).export(as: fileName)
        for missing in 1...100 {
            guard let reason = try await ArchiveFixture().refusal(of: archive.dropLast(missing)) else { continue }
            #expect(reason.contains("the archive is damaged or cut off"), "\(missing): \(reason)")
        }
    }

    @Test("a file of another kind is distinguished from a damaged archive")
    func another() async throws {
        let cpio = Array("070701\(String(repeating: "0", count: 1000))".utf8)
        for file in [cpio, Array("text\n".utf8), Array(repeating: 7, count: 2000)] {
            for archive in [file, try await Subprocess.gzip(file)] {
                let reason = try await ArchiveFixture().refusal(of: archive)
                #expect(reason?.contains("no archive that feedsync knows") == true, "\(reason ?? "taken")")
            }
        }
    }

    @Test(
        "an archive in another compression than gzip or zstd is refused with the name of the compression",
        arguments: [
            ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), ("bzip2", Array("BZh91AY".utf8)), ("zip", [0x50, 0x4B, 3, 4]),
        ] as [(String, [UInt8])])
    func unsupported(name: String, beginning: [UInt8]) async throws {
        let archive = beginning + [UInt8](repeating: 7, count: 1000)
        for most in [Int.max, 1] {
            let error = await #expect(throws: FeedError.self) {
                try await ArchiveFixture().takeIn(archive, inPiecesOf: most)
            }
            #expect(error?.kind == .invalidData)
            #expect(error?.message.contains("compressed with \(name), which") == true, "\(error?.message ?? "")")
        }
    }

    @Test("an archive whose zstd stream requires a window of 256 MB or more is refused") func window() async throws {
        for (log, isRefused) in [(26, false), (28, true), (30, true)] {
            let packed = try await Subprocess.run(
                "zstd", ["--long=\(log)", "-c"], standardInput: LayoutBuilder().tar())
            let reason = try await ArchiveFixture().refusal(of: packed.standardOutput)
            #expect((reason?.contains("too much memory") == true) == isRefused, "\(log): \(reason ?? "taken")")
        }
    }

    @Test("an archive of several consecutive gzip members is imported") func members() async throws {
        let whole = try await Self.small()
        var packed: [UInt8] = []
        for part in [whole[..<1000], whole[1000...]] {
            packed += try await Subprocess.gzip(Array(part))
        }
        #expect(try await ArchiveFixture().refusal(of: packed) == nil)
    }

    @Test("an archive with one flipped bit is refused or gives the same images", arguments: 0..<8)
    func bitFlip(bit: Int) async throws {
        let whole = try await Self.small()
        for position in whole.indices {
            var flipped = whole
            flipped[position] ^= 1 << UInt8(bit)
            _ = try await outcome(of: flipped, whole)
        }
    }

    @Test(
        "a compressed archive with one flipped bit is refused or gives the same images",
        arguments: ["x.tar.gz", "x.tar.zst"])
    func compressedBitFlip(fileName: String) async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        let whole = try await fixture.export()
        let archive = try await fixture.export(as: fileName)
        for position in archive.indices {
            for bit in 0..<8 {
                var flipped = archive
                flipped[position] ^= 1 << UInt8(bit)
                _ = try await outcome(of: flipped, whole)
            }
        }
    }

    private enum Outcome { case refused, taken }

    private func outcome(of archive: [UInt8], _ whole: [UInt8]) async throws -> Outcome {
        await Task.yield()
        let fixture = ArchiveFixture()
        if let reason = try await fixture.refusal(of: archive) {
            #expect(reason.hasSuffix("nothing was imported"), "\(reason)")
            return .refused
        }
        #expect(try await fixture.export() == whole)
        return .taken
    }
}
