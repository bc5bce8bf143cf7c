import CacheArchive
import FeedCore
import JSONText
import TestDoubles
import TestSupport
import Testing

/// Archives that have exactly one fault each.
@Suite("Refused archives")
struct RefusalTests {
    private let fixture = ArchiveFixture()

    private func expectRefusal(
        of archive: [UInt8], _ parts: String..., terms: ImportTerms = ArchiveFixture.terms,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reason = try #require(
            try await fixture.refusal(of: archive, terms), "was taken", sourceLocation: sourceLocation)
        for part in parts { #expect(reason.contains(part), "\(reason)", sourceLocation: sourceLocation) }
        #expect(reason.hasSuffix("; nothing was imported"), "\(reason)", sourceLocation: sourceLocation)
    }

    private func layout(_ change: (inout LayoutBuilder) -> Void) -> [UInt8] {
        var layout = LayoutBuilder()
        change(&layout)
        return layout.tar()
    }

    @Test("an archive without faults is imported") func right() async throws {
        #expect(try await fixture.refusal(of: LayoutBuilder().tar()) == nil)
    }

    static let names: [(String, TarBuilder.Kind, String)] = [
        ("/etc/passwd", .file, "an absolute path"), ("/oci-layout", .file, "an absolute path"),
        ("../oci-layout", .file, "has .. in its path"), ("blobs/../x", .file, "has .. in its path"),
        ("blobs/sha256/..", .file, "has .. in its path"),
        ("./../x", .directory, "has .. in its path"), ("readme", .file, "does not belong"),
        ("././x", .file, "does not belong"),
        ("blobs", .file, "does not belong"), ("blobs/sha256", .file, "does not belong"),
        ("blobs/md5/", .directory, "does not belong"),
        ("blobs/sha256/abc", .file, "does not belong"), ("BLOBS/sha256/", .directory, "does not belong"),
        ("blobs/sha256/\(String(repeating: "A", count: 64))", .file, "does not belong"),
        ("blobs/sha256/\(String(repeating: "a", count: 65))", .file, "does not belong"),
        ("blobs/sha256/\(String(repeating: "a", count: 64))/", .directory, "does not belong"),
        ("blobs//sha256/\(String(repeating: "a", count: 64))", .file, "does not belong"),
        ("x\u{1B}[2J", .file, "does not belong"), ("index.json", .file, "appears twice"),
        ("./index.json", .file, "appears twice"), ("oci-layout", .file, "appears twice"),
    ]

    @Test("an archive with an unexpected name is refused", arguments: names)
    func name(name: String, kind: TarBuilder.Kind, reason: String) async throws {
        try await expectRefusal(of: LayoutBuilder().tar { $0.add(name, kind: kind) }, name, reason)
    }

    @Test("an archive with a repeated name is refused") func twice() async throws {
        let image = LayoutBuilder().images[0]
        try await expectRefusal(
            of: LayoutBuilder().tar { $0.add(LayoutBuilder.name(image), image) }, LayoutBuilder.name(image),
            "appears twice")
        try await expectRefusal(
            of: LayoutBuilder().tar {
                $0.add("blobs/", kind: .directory)
                $0.add("./blobs", kind: .directory)
            }, "blobs", "appears twice")
    }

    static let kinds: [(TarBuilder.Kind, String)] = [
        (.hardLink, "a hard link"), (.symbolicLink, "a symbolic link"), (.characterDevice, "a device"),
        (.blockDevice, "a device"), (.fifo, "a FIFO"),
    ]

    @Test("an archive with an entry that is not a file is refused, also under an expected name", arguments: kinds)
    func kind(kind: TarBuilder.Kind, reason: String) async throws {
        let name = "blobs/sha256/\(String(repeating: "a", count: 64))"
        try await expectRefusal(of: LayoutBuilder().tar { $0.add(name, kind: kind, link: "oci-layout") }, name, reason)
        var layout = LayoutBuilder()
        layout.leftOut = ["index.json"]
        try await expectRefusal(
            of: layout.tar { $0.add("index.json", kind: kind, link: "oci-layout") }, "index.json", reason)
    }

    @Test("an archive with a hard link in a pax header or with data is refused") func paxLink() async throws {
        let name = "blobs/sha256/\(String(repeating: "a", count: 64))"
        try await expectRefusal(
            of: LayoutBuilder().tar {
                $0.addPax([("linkpath", "oci-layout")])
                $0.add(name, kind: .hardLink)
            }, name, "is neither a file nor a directory")
        try await expectRefusal(
            of: LayoutBuilder().tar {
                $0.addPax([("comment", "with data")])
                $0.add(name, Samples.png, kind: .hardLink, link: "oci-layout")
            }, name, "is a hard link")
    }

    @Test("an archive with a sparse file of any kind is refused") func sparse() async throws {
        let image = Samples.png("sparse")
        let name = LayoutBuilder.name(image)
        try await expectRefusal(
            of: LayoutBuilder().tar {
                $0.addPax([
                    ("GNU.sparse.name", name),
                    ("GNU.sparse.size", "1000000"), ("GNU.sparse.map", "1000,\(image.count)"),
                ])
                $0.add("x", image)
            }, name, "sparse")
        try await expectRefusal(
            of: LayoutBuilder().tar {
                $0.addPax([("SCHILY.realsize", "1000000000000")])
                $0.add(name, image)
            })
    }

    @Test("an archive with a list of holes or a header that would fill the memory is refused") func endlessHeader()
        async throws
    {
        let name = "blobs/sha256/\(String(repeating: "a", count: 64))"
        try await expectRefusal(
            of: LayoutBuilder().tar { $0.addOldSparse(name, blocks: 20_000) }, "header", "larger than")
        try await expectRefusal(
            of: LayoutBuilder().tar {
                for _ in 0..<30 { $0.addPax([("comment", String(repeating: "x", count: 500_000))]) }
                $0.add(name)
            })
    }

    @Test(
        "an archive with a header that expands until it would fill the memory is refused", arguments: ["gzip", "zstd"])
    func compressedHeader(compressor: String) async throws {
        let name = "blobs/sha256/\(String(repeating: "a", count: 64))"
        let archive = LayoutBuilder().tar { $0.addOldSparse(name, blocks: 20_000) }
        let packed = try await Subprocess.run(compressor, ["-c"], standardInput: archive).standardOutput
        #expect(packed.count < 100_000)
        try await expectRefusal(of: packed, "header", "larger than")
    }

    @Test("an archive that is compressed twice is refused") func twiceCompressed() async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        let once = try await fixture.export(as: "x.tar.gz")
        try await expectRefusal(of: try await Subprocess.gzip(once), "more than once")
        #expect(try await self.fixture.refusal(of: once) == nil)
    }

    @Test("an archive with a blob whose bytes differ from its name is refused") func digest() async throws {
        let name = "blobs/sha256/\(String(repeating: "a", count: 64))"
        try await expectRefusal(of: LayoutBuilder().tar { $0.add(name, Samples.png) }, name, "another digest")
    }

    @Test("an archive without its layout or its index is refused", arguments: ["oci-layout", "index.json"])
    func missing(name: String) async throws {
        try await expectRefusal(of: layout { $0.leftOut = [name] }, name, "missing")
    }

    @Test("an archive that lacks a referenced blob is refused") func missingBlobs() async throws {
        let whole = LayoutBuilder()
        for blob in [whole.manifest, whole.document] + whole.images {
            let name = LayoutBuilder.name(blob)
            try await expectRefusal(of: layout { $0.leftOut = [name] }, name, "not in the archive")
        }
    }

    @Test("an archive with a layer that is no image is refused") func noImage() async throws {
        try await expectRefusal(of: layout { $0.images[1] = Array("<html>".utf8) }, "no image")
        try await expectRefusal(
            of: layout { layout in
                layout.changeManifest = { manifest in
                    manifest.change("layers") { $0.changeElement(0) { $0.set("mediaType", "text/plain") } }
                }
            }, "text/plain", "image/png")
    }

    @Test("an archive with a blob that exceeds its limit is refused") func limits() async throws {
        let image = Samples.png(String(repeating: "x", count: 5000))
        let archive = layout { $0.images[0] = image }
        let small = ImportTerms(maxImageSize: 4999, maxFeedSize: .standard, now: .writable.upperBound)
        try await expectRefusal(of: archive, LayoutBuilder.name(image), "--max-filesize", terms: small)
        let tiny = ImportTerms(
            maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 25), now: .writable.upperBound)
        try await expectRefusal(of: archive, "index.json", "--max-feed-size", terms: tiny)
        let both = ImportTerms(
            maxImageSize: 900, maxFeedSize: FeedSizeLimit(bytes: 225), now: .writable.upperBound)
        try await expectRefusal(of: archive, LayoutBuilder.name(image), "--max-", terms: both)
        #expect(try await fixture.refusal(of: archive) == nil)
    }

    @Test("an archive with a document that exceeds its limit is refused") func documentLimit() async throws {
        let archive = layout { layout in
            layout.changeDocument = { $0.set("title", .string(String(repeating: "x", count: 3000))) }
        }
        let terms = ImportTerms(
            maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 500), now: .writable.upperBound)
        try await expectRefusal(of: archive, "--max-feed-size", terms: terms)
    }

    @Test("an archive with more current images than the feed's limit allows is refused")
    func imageLimit() async throws {
        let archive = layout { $0.images = (0..<3).map { Samples.png("image \($0)") } }
        let terms = ImportTerms(
            maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 1023), now: .writable.upperBound)
        let full = ImportTerms(
            maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 767), now: .writable.upperBound)
        #expect(try await ArchiveFixture().refusal(of: archive, terms) == nil)
        try await expectRefusal(of: archive, "more than 2 images (see --max-feed-size)", terms: full)
        let kept = layout { layout in
            layout.images = (0..<3).map { Samples.png("image \($0)") }
            layout.changeDocument = { document in
                document.change("images") { images in
                    images.changeElement(1) { $0.set("last_seen", "2026-01-01T00:00:00.000000Z") }
                }
            }
        }
        let reason = try await ArchiveFixture().refusal(of: kept, full)
        #expect(reason == nil, "\(reason ?? "")")
    }

    @Test(
        "a file that is no archive is refused",
        arguments: [[], [0], Samples.png, Array("PK\u{3}\u{4}".utf8), [0x1F, 0x8B]] as [[UInt8]])
    func noArchive(bytes: [UInt8]) async throws {
        try await expectRefusal(of: bytes)
        try await expectRefusal(of: [UInt8](repeating: 0, count: 10_240))
    }

    @Test("an empty archive is reported as empty, compressed or not") func empty() async throws {
        try await expectRefusal(of: [], "the archive is empty")
        try await expectRefusal(of: try await Subprocess.gzip([]), "the archive is empty")
    }

    @Test("the refusal of a long name contains the beginning of the name") func longName() async throws {
        let name = String(repeating: "x", count: 900_000)
        let archive = LayoutBuilder().tar {
            $0.addPax([("path", name)])
            $0.add("short")
        }
        try await expectRefusal(of: archive, "xxx…: does not belong")
        #expect(try await fixture.refusal(of: archive)?.utf8.count ?? .max < 400)
    }

    @Test("an archive that lacks an image which only its document references is refused with a hint at the other parts")
    func splitFeed() async throws {
        let archive = layout { layout in
            let second = LayoutBuilder.name(layout.images[1])
            let first = LayoutBuilder.descriptor(layout.images[0], "image/png")
            layout.leftOut = [second]
            layout.changeManifest = { $0.set("layers", [first]) }
        }
        try await expectRefusal(of: archive, "not in the archive (a feed that was split is imported with all")
    }

    @Test("an archive may lack an end marker and contain directories, a leading ./ and unreferenced blobs")
    func leniency() async throws {
        var tar = TarBuilder()
        for directory in ["./", "./blobs/", "blobs/sha256"] {
            tar.add(directory, kind: .directory, owner: "J\u{FC}rgen")
        }
        let layout = LayoutBuilder()
        for (name, bytes) in layout.files.reversed() { tar.add("./\(name)", bytes) }
        let extra = Samples.png("nobody's")
        tar.add(LayoutBuilder.name(extra), extra)
        #expect(try await fixture.refusal(of: tar.bytes) == nil)
        #expect(try await fixture.images.totals().count == 2)
    }

    @Test("an archive with pax headers and an owner beyond ASCII is imported") func owner() async throws {
        var tar = TarBuilder()
        for (name, bytes) in LayoutBuilder().files {
            tar.addPax([("uname", "Jürgen"), ("mtime", "1.5"), ("path", name)])
            tar.add("short", bytes)
        }
        #expect(try await fixture.refusal(of: tar.bytes) == nil)
    }
}
