import CacheArchive
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("The kind of an entry is what libarchive reads")
struct EntryKindTests {
    private static let image = Samples.png("extra")
    private static var name: String { LayoutBuilder.name(image) }

    /// Imports an archive in pieces of several sizes, because headers can be divided between them.
    ///
    /// Returns the reason of each refusal, or nil if both images were imported.
    private func refusals(of archive: [UInt8]) async throws -> [String?] {
        var refusals: [String?] = []
        for most in [Int.max, 700, 512, 1] {
            let fixture = ArchiveFixture()
            do {
                try await fixture.takeIn(archive, inPiecesOf: most)
                #expect(try await fixture.images.totals().count == 2)
                refusals.append(nil)
            } catch let error as FeedError {
                #expect(error.kind == .invalidData)
                refusals.append(error.message)
            }
        }
        return refusals
    }

    @Test(
        "a sparse pax file is refused for every format of its list of holes",
        arguments: [
            [("GNU.sparse.size", "1000000"), ("GNU.sparse.numblocks", "1"), ("GNU.sparse.map", "1000,68")],
            [("GNU.sparse.size", "1000000"), ("GNU.sparse.map", "0,10,1000,58"), ("GNU.sparse.name", "x")],
            [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "1000000")],
        ])
    func sparse(records: [(String, String)]) async throws {
        let archive = LayoutBuilder().tar {
            $0.addPax(records)
            $0.add(Self.name, Array("1\n1000\n68\n".utf8) + [UInt8](repeating: 0, count: 502) + Self.image)
        }
        for refusal in try await refusals(of: archive) {
            #expect(refusal?.contains("is a sparse file") == true, "\(refusal ?? "taken")")
        }
    }

    @Test("a part of a file that spans several volumes is refused") func laterVolume() async throws {
        let archive = LayoutBuilder().tar { $0.add(Self.name, Self.image, kind: .laterVolume) }
        for refusal in try await refusals(of: archive) {
            #expect(refusal?.contains("\(Self.name): is neither") == true, "\(refusal ?? "taken")")
        }
    }

    @Test("an entry of an unknown kind or with long headers is read as a plain file, and a volume label is skipped")
    func plain() async throws {
        var tar = TarBuilder()
        tar.add("label", kind: .volumeLabel)
        tar.addPax([("comment", "for all")], kind: .paxForAll)
        for (name, bytes) in LayoutBuilder().files {
            tar.addPax([("comment", String(repeating: "GNU.sparse ", count: 50_000)), ("path", name)])
            tar.add("././@LongLink", Array(name.utf8) + [0], kind: .longName)
            tar.add("short", bytes, kind: name == "index.json" ? .unknown : .contiguous)
        }
        #expect(try await refusals(of: tar.bytes) == [nil, nil, nil, nil])
    }

    @Test("an archive is read with or without an end marker", arguments: [true, false])
    func endMarker(isThere: Bool) async throws {
        let whole = LayoutBuilder().tar()
        #expect(try await refusals(of: isThere ? whole : whole.dropLast(1024)) == [nil, nil, nil, nil])
    }
}
