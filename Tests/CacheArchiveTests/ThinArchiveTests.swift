import CacheArchive
import FeedCore
import JSONText
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Thin archives")
struct ThinArchiveTests {
    /// A layout that is marked as thin and lacks its second image.
    private static var thin: LayoutBuilder {
        var builder = LayoutBuilder()
        builder.changeIndex = { $0.set("annotations", ["org.feedsync.thin": "true"]) }
        builder.leftOut = [LayoutBuilder.name(builder.images[1])]
        return builder
    }

    @Test("an archive may lack the blob of a layer only if it is marked as thin") func marked() async throws {
        let report = try await ArchiveFixture().takeIn(Self.thin.tar())
        #expect(report.images == 1 && report.missing == 1)
        for mark: [String: String] in [[:], ["org.feedsync.thin": "false"], ["thin": "true"]] {
            var builder = Self.thin
            builder.changeIndex = { $0.set("annotations", .object(mark.map { ($0.key, .string($0.value)) })) }
            let reason = try await ArchiveFixture().refusal(of: builder.tar())
            #expect(reason?.contains("which is not in the archive") == true, "\(mark): \(reason ?? "taken")")
        }
    }

    @Test("a thin archive needs its manifests and feed documents") func lists() async throws {
        for part in [Self.thin.manifest, Self.thin.document] {
            var builder = Self.thin
            builder.leftOut.insert(LayoutBuilder.name(part))
            #expect(try await ArchiveFixture().refusal(of: builder.tar())?.contains("is not in the archive") == true)
        }
    }

    @Test("a thin archive leaves out only layers, and only images") func onlyLayers() async throws {
        var noLayer = Self.thin
        let first = noLayer.images[0]
        noLayer.changeManifest = { $0.set("layers", [LayoutBuilder.descriptor(first, "image/png")]) }
        #expect(try await ArchiveFixture().refusal(of: noLayer.tar())?.contains("is not in the archive") == true)
        var noImage = Self.thin
        noImage.changeManifest = { manifest in
            manifest.change("layers") { $0.changeElement(1) { $0.set("mediaType", "text/html") } }
        }
        #expect(try await ArchiveFixture().refusal(of: noImage.tar())?.contains("no type of an image") == true)
    }

    @Test("a thin archive needs a whole end marker, and a full archive needs none", arguments: ["x.tar", "x.tar.gz"])
    func endMarker(fileName: String) async throws {
        for missing in [512, 1024] {
            var thin = Array(Self.thin.tar().dropLast(missing))
            var full = Array(LayoutBuilder().tar().dropLast(missing))
            if fileName == "x.tar.gz" {
                thin = try await Subprocess.gzip(thin)
                full = try await Subprocess.gzip(full)
            }
            #expect(try await ArchiveFixture().refusal(of: thin)?.contains("end marker") == true)
            #expect(try await ArchiveFixture().refusal(of: full) == nil)
        }
    }

    @Test("data in one archive completes the images that another one left out, in either order")
    func orders() async throws {
        let (thin, full) = (Self.thin.tar(), LayoutBuilder(savedAt: "2026-01-01T00:00:00.000000Z").tar())
        for order in [[thin, full], [full, thin]] {
            let fixture = ArchiveFixture()
            for archive in order { try await fixture.takeIn(archive) }
            #expect(try await fixture.images.totals().count == 2)
        }
    }

    @Test("an export without the images of an old archive contains only new ones, and reads no data of a seekable one")
    func listing() async throws {
        let fixture = ArchiveFixture()
        try await fixture.save(.sample(images: 2))
        try await fixture.store(Samples.png(String(repeating: "x", count: 200_000)), at: .image(0))
        let old = try await fixture.export()
        let source = SeekableSource(old)
        let contents = try await ArchiveOpener().list(source)
        #expect(contents.count == 3)
        #expect(source.readCount < 50_000)
        #expect(try await ArchiveOpener().list(MemorySource(old, inPiecesOf: 1)) == contents)
        try await fixture.store(Samples.png("new"), at: .image(1))
        let thin = try await fixture.export(without: contents)
        #expect(thin.count < 20_000)
        let copy = ArchiveFixture()
        for archive in [thin, old] { try await copy.takeIn(archive) }
        #expect(try await copy.export() == fixture.export())
    }

    @Test("an old archive that is cut off at any byte is damaged", arguments: ["x.tar", "x.tar.gz"])
    func cutOff(fileName: String) async throws {
        let old = try await ArchiveFixture.sample(images: 2).export(as: fileName)
        for length in stride(from: 0, to: old.count, by: 7) {
            for source: any ByteSource in [SeekableSource(old[..<length]), MemorySource(Array(old[..<length]))] {
                let error = await #expect(throws: FeedError.self) { try await ArchiveOpener().list(source) }
                #expect(error?.kind == .invalidData)
            }
        }
        #expect(try await ArchiveOpener().list(MemorySource(old)).count == 4)
    }
}

/// A source that can skip bytes, and counts those that it reads.
private final class SeekableSource: ByteSource {
    let name = "archive"
    private let bytes: [UInt8]
    private let state = Mutex((position: 0, read: 0))

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var readCount: Int { state.withLock { $0.read } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
        state.withLock { state in
            let piece = bytes[state.position...].prefix(buffer.count)
            buffer.copyBytes(from: piece)
            state.position += piece.count
            state.read += piece.count
            return piece.count
        }
    }

    func skip(_ count: Int64) -> Int64 {
        state.withLock { state in
            let skipped = min(Int(count), bytes.count - state.position)
            state.position += skipped
            return Int64(skipped)
        }
    }
}
