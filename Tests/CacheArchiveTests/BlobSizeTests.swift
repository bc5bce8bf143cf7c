import CacheArchive
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("A blob whose role is not known yet")
struct BlobSizeTests {
    private let fixture = ArchiveFixture()
    /// An unreferenced blob, to which only the limit of all blobs applies.
    private static let blob = Samples.png(String(repeating: "x", count: 5000))

    private var archive: [UInt8] { LayoutBuilder().tar { $0.add(LayoutBuilder.name(Self.blob), Self.blob) } }

    @Test(
        "a blob of unknown role may be as large as the larger of the two limits",
        arguments: [(0, 0, false), (-1, 0, true), (0, -1, false), (-1, -1, true)])
    func limit(image: Int, document: Int, isRefused: Bool) async throws {
        let size = Int64(Self.blob.count)
        let terms = ImportTerms(
            maxImageSize: size + Int64(image),
            maxFeedSize: FeedSizeLimit(bytes: (size + 3) / 4 + Int64(document)), now: .writable.upperBound)
        let reason = try await fixture.refusal(of: archive, terms)
        #expect((reason != nil) == isRefused, "\(reason ?? "taken")")
        if isRefused {
            let parts = document < 0 ? [LayoutBuilder.name(Self.blob), "--max-feed-size"] : ["nothing refers to"]
            for part in parts + ["--max-filesize"] {
                #expect(reason?.contains(part) == true, "\(reason ?? "taken")")
            }
        }
    }

    @Test("all unreferenced blobs together may be as large as one image, in any order")
    func together() async throws {
        let blobs = (0..<3).map { Samples.png(String(repeating: "\($0)", count: 5000)) }
        var layout = LayoutBuilder()
        layout.moreBlobs = blobs
        let size = Int64(blobs.map(\.count).reduce(0, +))
        for files in [layout.files, layout.files.reversed()] {
            var tar = TarBuilder()
            for (name, bytes) in files { tar.add(name, bytes) }
            for (missing, isRefused) in [(0, false), (1, true)] {
                let terms = ImportTerms(
                    maxImageSize: size - Int64(missing), maxFeedSize: .standard, now: .writable.upperBound)
                let reason = try await ArchiveFixture().refusal(of: tar.bytes, terms)
                #expect(reason?.contains("nothing refers to") == (isRefused ? true : nil), "\(reason ?? "taken")")
            }
        }
    }

    @Test("a blob that only a document references counts as referenced") func named() async throws {
        var layout = LayoutBuilder()
        layout.images = [Self.blob]
        layout.changeManifest = { $0.set("layers", []) }
        let terms = ImportTerms(
            maxImageSize: Int64(Self.blob.count), maxFeedSize: .standard, now: .writable.upperBound)
        layout.moreBlobs = [Samples.png("small")]
        #expect(try await fixture.refusal(of: layout.tar(), terms) == nil)
        #expect(try await fixture.images.totals().count == 1)
    }

    @Test(
        "an oci-layout or index.json of over 64 MB is refused by its announced size",
        arguments: ["oci-layout", "index.json"])
    func announcedList(name: String) async throws {
        var tar = TarBuilder()
        tar.add(name, Self.blob, size: 64 << 20 + 1)
        let terms = ImportTerms(maxImageSize: 1 << 20, maxFeedSize: .standard, now: .writable.upperBound)
        let reason = try await fixture.refusal(of: tar.bytes, terms)
        #expect(reason?.contains("\(name): larger than 64M") == true, "\(reason ?? "taken")")
    }

    @Test("a blob of unknown role is refused by its announced size before its bytes are read")
    func announced() async throws {
        var tar = TarBuilder()
        tar.add(LayoutBuilder.name(Self.blob), Self.blob, size: 5 << 20)
        let reason = try await fixture.refusal(of: tar.bytes)
        let expected = "larger than --max-filesize and four times --max-feed-size"
        #expect(reason?.contains(expected) == true, "\(reason ?? "taken")")
    }
}
