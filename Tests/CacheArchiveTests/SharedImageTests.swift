import CacheArchive
import FeedCore
import JSONText
import TestDoubles
import TestSupport
import Testing

@Suite("Images that two feeds of an archive share")
struct SharedImageTests {
    private static let image = Samples.png(String(repeating: "x", count: 5000))
    private static let feeds = ["https://feeds.example/first", "https://feeds.example/second"]

    private static func layout(of feed: String) -> LayoutBuilder {
        var layout = LayoutBuilder()
        layout.url = feed
        layout.images = [image]
        return layout
    }

    private static var archive: [UInt8] {
        var both = layout(of: feeds[0])
        let second = layout(of: feeds[1])
        both.moreBlobs = [second.document, second.manifest]
        both.changeIndex = { index in
            guard let first = index["manifests"]?[0] else {
                Issue.record("an index without a manifest")
                return
            }
            index.set("manifests", [first, LayoutBuilder.descriptor(second.manifest, LayoutBuilder.manifestType)])
        }
        return both.tar()
    }

    private static func terms(_ limits: [Int64?], _ general: Int64) throws -> ImportTerms {
        var ownLimits: [ResourceURL.Key: ImportTerms.SizeLimits] = [:]
        for (feed, limit) in zip(feeds, limits) {
            guard let limit else { continue }
            ownLimits[try ResourceURL(feed).key] = ImportTerms.SizeLimits(image: limit, feed: .standard)
        }
        return ImportTerms(
            maxImageSize: general, maxFeedSize: .standard, ownLimits: ownLimits, now: .writable.upperBound)
    }

    @Test(
        "an image that two feeds share is held to the larger limit",
        arguments: [
            ([nil, 6000], 100, false), ([6000, nil], 100, false), ([100, nil], 6000, false), ([100, 200], 6000, true),
            ([nil, nil], 100, true),
        ] as [([Int64?], Int64, Bool)])
    func larger(limits: [Int64?], general: Int64, isRefused: Bool) async throws {
        let fixture = ArchiveFixture()
        let reason = try await fixture.refusal(of: Self.archive, try Self.terms(limits, general))
        #expect((reason?.contains("larger than --max-filesize")) == (isRefused ? true : nil), "\(reason ?? "taken")")
    }

    @Test("the limit of a feed without a shared image does not apply to the image") func elsewhere() async throws {
        let terms = try Self.terms([nil, 6000], 100)
        let reason = try await ArchiveFixture().refusal(of: Self.layout(of: Self.feeds[0]).tar(), terms)
        #expect(reason?.contains("larger than --max-filesize (100 bytes)") == true, "\(reason ?? "taken")")
    }
}
