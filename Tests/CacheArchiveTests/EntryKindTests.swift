import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// libarchive makes files of all of these, or passes them over.
@Suite("An entry of a kind that has no place in an archive is refused")
struct EntryKindTests {
    private static let kinds: [(TarBuilder.Kind, String)] = [
        (.oldSparse, "a sparse file"), (.volumeLabel, "a volume's label"), (.laterVolume, "a part of a file"),
        (.unknown, "an entry of an unknown kind"),
    ]
    private static let image = Samples.png("extra")
    private static var name: String { LayoutBuilder.name(image) }

    private func expectRefusal(
        _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation, of change: (inout TarBuilder) -> Void
    ) async throws {
        // Wherever the chunks begin in which it comes.
        let archive = LayoutBuilder().tar(change)
        for most in [Int.max, 700, 512, 1] {
            let error = await #expect(throws: FeedError.self, sourceLocation: sourceLocation) {
                try await ArchiveFixture().takeIn(archive, inPiecesOf: most)
            }
            for part in parts {
                let isTold = error?.message.contains(part) == true
                #expect(isTold, "\(error?.message ?? "")", sourceLocation: sourceLocation)
            }
        }
    }

    @Test("with data in it", arguments: kinds) func withData(kind: TarBuilder.Kind, reason: String) async throws {
        try await expectRefusal("\(Self.name): \(reason)") { $0.add(Self.name, Self.image, kind: kind) }
    }

    @Test("as the last thing of all, with no file behind it", arguments: kinds)
    func atEnd(kind: TarBuilder.Kind, reason: String) async throws {
        try await expectRefusal("label", reason) { $0.add("label", kind: kind) }
    }

    @Test("first of all", arguments: kinds) func first(kind: TarBuilder.Kind, reason: String) async throws {
        var tar = TarBuilder()
        tar.add("oci-layout", kind: kind)
        for (name, bytes) in LayoutBuilder().files.reversed() { tar.add(name, bytes) }
        for most in [Int.max, 700, 512, 1] {
            let error = await #expect(throws: FeedError.self) {
                try await ArchiveFixture().takeIn(tar.bytes, inPiecesOf: most)
            }
            #expect(error?.message.contains("oci-layout: \(reason)") == true, "\(error?.message ?? "")")
        }
    }

    @Test("behind other headers of one entry", arguments: kinds)
    func behind(kind: TarBuilder.Kind, reason: String) async throws {
        try await expectRefusal("\(Self.name): \(reason)") {
            $0.addPax([("comment", String(repeating: "x", count: 300_000))])
            $0.add("././@LongLink", Array(Self.name.utf8) + [0], kind: .longName)
            $0.add(Self.name, Self.image, kind: kind)
        }
    }

    @Test("such as a sparse file of pax, though it has no holes", arguments: [.pax, .paxForAll] as [TarBuilder.Kind])
    func pax(kind: TarBuilder.Kind) async throws {
        let size = "\(Self.image.count)"
        for records in [
            [("GNU.sparse.size", size), ("GNU.sparse.numblocks", "1"), ("GNU.sparse.map", "0,\(size)")],
            [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", size)],
            [("GNU.sparse.size", size)], [("comment", "x"), ("GNU.sparse.name", Self.name)],
        ] {
            try await expectRefusal("a sparse file") {
                $0.addPax(records, kind: kind)
                $0.add(Self.name, Self.image)
            }
        }
    }

    @Test("and no other, also with long headers, in pieces and of many entries") func taken() async throws {
        var tar = TarBuilder()
        tar.addPax([("comment", "for all")], kind: .paxForAll)
        for (name, bytes) in LayoutBuilder().files {
            tar.addPax([("comment", String(repeating: "GNU.sparse ", count: 50_000)), ("path", name)])
            tar.add("././@LongLink", Array(name.utf8) + [0], kind: .longName)
            tar.add("short", bytes, kind: name == "index.json" ? .contiguous : .file)
        }
        for most in [Int.max, 700] { try await ArchiveFixture().takeIn(tar.bytes, inPiecesOf: most) }
    }
}
