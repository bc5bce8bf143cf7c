import FeedCore
import TestSupport
import Testing

@testable import CacheArchive

@Suite("A blob whose role is not known yet")
struct BlobSizeTests {
    private let fixture = ArchiveFixture()
    /// Nothing refers to it, so that no other limit than that of all blobs holds for it.
    private static let blob = Samples.png(String(repeating: "x", count: 5000))

    private var archive: [UInt8] { LayoutBuilder().tar { $0.add(LayoutBuilder.name(Self.blob), Self.blob) } }

    @Test(
        "may be as large as the larger of the limits, and no larger",
        arguments: [(0, 0, false), (-1, 0, false), (0, -1, false), (-1, -1, true)])
    func limit(image: Int, document: Int, isRefused: Bool) async throws {
        let size = Int64(Self.blob.count)
        let terms = ImportTerms(
            maxImageSize: size + Int64(image), maxDocumentSize: size + Int64(document),
            now: .writable.upperBound)
        let reason = try await fixture.refusal(of: archive, terms)
        #expect((reason != nil) == isRefused, "\(reason ?? "taken")")
        if isRefused {
            for part in [LayoutBuilder.name(Self.blob), "--max-filesize", "--max-feed-size"] {
                #expect(reason?.contains(part) == true, "\(reason ?? "taken")")
            }
        }
    }

    @Test("is refused by the size that it announces, before anything of it is taken in")
    func announced() async throws {
        var tar = TarBuilder()
        tar.add(LayoutBuilder.name(Self.blob), Self.blob, size: 2 << 20)
        let reason = try await fixture.refusal(of: tar.bytes)
        #expect(reason?.contains("larger than --max-filesize and --max-feed-size") == true, "\(reason ?? "taken")")
    }
}
