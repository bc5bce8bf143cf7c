import CacheStorage
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Side effects of a merge")
struct MergeSideEffectTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    private func head(_ url: ResourceURL) -> FeedHead {
        FeedHead(url: url, title: nil, format: .essential, savedAt: Timestamp(microseconds: 9))
    }

    @Test("a merge that fails late deletes its new files and leaves older files")
    func takenBack() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 0))
        try await cache.images.publish("there", at: .image(0))
        // There are enough images that the first files are moved before the last one is offered.
        let texts = ["there"] + (0..<200).map { "new \($0)" }
        await #expect(throws: FeedError.invalidData("not wanted")) {
            try await cache.transfer.takeIn { intake throws(FeedError) in
                for text in texts { try intake.blobs.add(Array(text.utf8), as: digest(text)) }
                try intake.merge { merge throws(FeedError) in
                    try merge.begin(head(.first))
                    for (number, text) in texts.enumerated() {
                        try merge.insert(offered(text, at: .image(1 + number)), of: .first)
                    }
                    throw .invalidData("not wanted")
                }
            }
        }
        #expect(try scratch.names(in: "images/sha256") == [digest("there").hex])
        #expect(try await cache.images.find([.image(0), .image(1)]).map { $0 != nil } == [true, false])
    }

    @Test("a merged feed has no validators and rules, which belonged to the feed that it replaces")
    func validators() async throws {
        let cache = try await scratch.open()
        let saved = SavedFeed(
            url: .first, feed: Feed(format: .essential, images: []), savedAt: Timestamp(microseconds: 1),
            validators: Validators(etag: "\"1\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"), rules: "mine")
        try await cache.feeds.save(saved)
        try await cache.transfer.takeIn { intake throws(FeedError) in
            try intake.merge { merge throws(FeedError) in try merge.begin(head(.first)) }
        }
        let merged = try #require(try await cache.feeds.retrieve(.first))
        #expect(merged.savedAt == Timestamp(microseconds: 9))
        #expect(merged.validators.isEmpty && merged.rules == nil)
    }

    @Test("a merged feed is a named feed only if the user had named it before")
    func names() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(.second))
        for _ in 0..<2 {
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try intake.merge { merge throws(FeedError) in
                    for feed in [ResourceURL.first, .second] { try merge.begin(head(feed)) }
                }
            }
            #expect(try await cache.feeds.summaries().map(\.naming) == [.unnamed, .byCommand])
        }
    }

    @Test("merging an image clears its remembered failure")
    func failures() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(.first))
        let failure = ImageFailure(
            url: .image(0), error: .invalidData("gone", status: 404), failedAt: Timestamp(microseconds: 1),
            feeds: [.first])
        try await cache.images.remember([failure])
        #expect(try await cache.images.failures(of: [.image(0)]).map { $0 != nil } == [true])
        try await cache.transfer.takeIn { intake throws(FeedError) in
            try intake.blobs.add(Array("one".utf8), as: digest("one"))
            try intake.merge { merge throws(FeedError) in
                try merge.begin(head(.first))
                try merge.append(FeedImage(id: "0", url: .image(0)))
                try merge.insert(offered("one", at: .image(0)), of: .first)
            }
        }
        #expect(try await cache.images.failures(of: [.image(0)]) == [nil])
    }
}
