import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// Whatever happens to an archive on its way: either it is refused, or what it brings is what was sent. That is much to
/// reckon, and the other tests are to have their turns meanwhile: one case at a time, which steps back again and again.
@Suite("A damaged archive", .serialized, .timeLimit(.minutes(30)))
struct DamageTests {
    private static func small() async throws -> [UInt8] { try await ArchiveFixture.sample(images: 1).export() }

    @Test("cut off at any byte is refused, or complete", arguments: ["x.tar", "x.tar.gz", "x.tar.xz", "x.tar.zst"])
    func truncation(fileName: String) async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        let whole = try await fixture.export()
        let archive = try await fixture.export(as: fileName)
        var taken = 0
        for length in 0..<archive.count {
            let cut = Array(archive[..<length])
            if try await outcome(of: cut, whole) == .taken { taken += 1 }
        }
        // Of a plain one, the end marker and the last padding.
        switch fileName {
        case "x.tar": #expect(taken > 0)
        case "x.tar.gz": #expect(taken == 0)
        default: #expect(taken <= 8)
        }
    }

    @Test("is said to be cut off where it ends too early", arguments: ["x.tar.gz", "x.tar.xz", "x.tar.zst"])
    func truncationTold(fileName: String) async throws {
        let archive = try await ArchiveFixture.sample(images: 1).export(as: fileName)
        for missing in 1...100 {
            guard let reason = try await ArchiveFixture().refusal(of: archive.dropLast(missing)) else { continue }
            #expect(reason.contains(": the archive is cut off"), "\(missing): \(reason)")
        }
    }

    @Test("with a bit flipped in the check of its gzip stream is refused")
    func gzipCheck() async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        let archive = try await fixture.export(as: "x.tar.gz")
        for position in archive.indices.suffix(8) {
            var flipped = archive
            flipped[position] ^= 1
            let reason = try await ArchiveFixture().refusal(of: flipped)
            #expect(reason?.contains("incorrect") == true, "\(position): \(reason ?? "taken")")
            // As it may come from a pipe.
            await #expect(throws: FeedError.self) { try await ArchiveFixture().takeIn(flipped, inPiecesOf: 1) }
        }
    }

    @Test("that is none, but another kind of file, is told from one that is damaged")
    func another() async throws {
        let zip: [UInt8] = [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 1000)
        let cpio = Array("070701\(String(repeating: "0", count: 1000))".utf8)
        for file in [zip, cpio, Array("text\n".utf8), Array(repeating: 7, count: 2000)] {
            for archive in [file, try await Subprocess.gzip(file)] {
                let reason = try await ArchiveFixture().refusal(of: archive)
                #expect(reason?.contains("no archive that feedsync knows") == true, "\(reason ?? "taken")")
            }
        }
    }

    @Test("in gzip members one behind the other is taken") func members() async throws {
        let whole = try await Self.small()
        var packed: [UInt8] = []
        for part in [whole[..<1000], whole[1000...]] {
            packed += try await Subprocess.gzip(Array(part))
        }
        #expect(try await ArchiveFixture().refusal(of: packed) == nil)
    }

    @Test("with any one bit flipped is refused, or brings the same", arguments: 0..<8)
    func bitFlip(bit: Int) async throws {
        let whole = try await Self.small()
        for position in whole.indices {
            var flipped = whole
            flipped[position] ^= 1 << UInt8(bit)
            _ = try await outcome(of: flipped, whole)
        }
    }

    @Test("with any one bit flipped when it was compressed too", arguments: ["x.tar.gz", "x.tar.xz", "x.tar.zst"])
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
