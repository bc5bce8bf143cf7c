import CacheStorage
import FeedCore
import Glibc
import TestDoubles
import TestSupport
import Testing

@Suite("Images that a thin archive left out")
struct LeftOutImagesTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    private func leftOut(_ text: String, at url: ResourceURL) -> LeftOutImage {
        LeftOutImage(
            url: url, digest: digest(text), validators: Validators(etag: "\"e\""),
            fetchedAt: Timestamp(microseconds: 3))
    }

    /// Imports the texts as images of the feed, and then adopts the images of other URLs.
    private func merge(
        _ cache: Cache, into feed: ResourceURL = .second, brought texts: [String] = [],
        adopting images: [LeftOutImage] = []
    ) async throws -> [Adoption] {
        try await cache.transfer.takeIn { intake throws(FeedError) in
            for text in texts { try intake.blobs.add(Array(text.utf8), as: digest(text)) }
            return try intake.merge { merge throws(FeedError) in
                try merge.begin(
                    FeedHead(url: feed, title: nil, format: .essential, savedAt: Timestamp(microseconds: 9)))
                for number in 0..<4 { try merge.append(.full(number)) }
                for (number, text) in texts.enumerated() {
                    _ = try merge.offer(offered(text, at: .image(number)), for: feed)
                }
                try merge.expect(leftOut: Set(images.map(\.digest)))
                return try images.map { image throws(FeedError) in try merge.adopt(image, for: feed) }
            }
        }
    }

    private func data(_ number: Int, of feed: ResourceURL, in cache: Cache) async throws -> Digest? {
        try await cache.images.find([FeedImage(id: "", url: .image(number))], for: Viewer(feed))[0]?.digest
    }

    @Test("a feed takes data that everybody may see, under another URL") func everybody() async throws {
        let cache = try await scratch.open()
        try await cache.images.publish("one", at: .image(9))
        let adoptions = try await merge(
            cache, adopting: [leftOut("one", at: .image(0)), leftOut("two", at: .image(1))])
        #expect(adoptions == [.taken, .missing])
        #expect(try await data(0, of: .second, in: cache) == digest("one"))
        #expect(try await data(1, of: .second, in: cache) == nil)
        #expect(try await merge(cache, adopting: [leftOut("one", at: .image(0))]) == [.known])
    }

    @Test("a feed takes no data of another feed or of the own network", arguments: [-2, -1, 7])
    func narrowerCircles(circle: Int) async throws {
        let cache = try await scratch.open()
        try await cache.images.publish("one", at: .image(9))
        await cache.close()
        try scratch.execute("UPDATE images SET circle = \(circle)")
        let reopened = try await scratch.open()
        #expect(try await merge(reopened, adopting: [leftOut("one", at: .image(0))]) == [.missing])
    }

    @Test("a feed takes data that an archive brought for another feed") func brought() async throws {
        let cache = try await scratch.open()
        _ = try await merge(cache, into: .first, brought: ["one"])
        #expect(try await merge(cache, adopting: [leftOut("one", at: .image(2))]) == [.taken])
        #expect(try await data(2, of: .second, in: cache) == digest("one"))
    }

    @Test("data that an archive brought again may be taken by another feed") func broughtAgain() async throws {
        let cache = try await scratch.open()
        _ = try await merge(cache, into: .first, brought: ["one"])
        await cache.close()
        try scratch.execute("UPDATE images SET archived = 0")
        let reopened = try await scratch.open()
        #expect(try await merge(reopened, adopting: [leftOut("one", at: .image(2))]) == [.missing])
        _ = try await merge(reopened, into: .first, brought: ["one"])
        #expect(try await merge(reopened, adopting: [leftOut("one", at: .image(2))]) == [.taken])
    }

    @Test("damaged data of the cache is not taken") func damaged() async throws {
        let cache = try await scratch.open()
        let stored = try await cache.images.publish("one", at: .image(9))
        chmod(scratch.path(stored.path), 0o644)
        try scratch.write(Array("eno".utf8), to: stored.path)
        #expect(try await merge(cache, adopting: [leftOut("one", at: .image(0))]) == [.missing])
    }

    @Test("a later archive completes remembered images that their feed still references, and no others")
    func completing() async throws {
        let cache = try await scratch.open()
        let images = [leftOut("one", at: .image(0)), leftOut("two", at: .image(1)), leftOut("one", at: .image(8))]
        #expect(try await merge(cache, adopting: images) == [.missing, .missing, .missing])
        let completed = try await cache.transfer.takeIn { intake throws(FeedError) in
            try intake.blobs.add(Array("one".utf8), as: digest("one"))
            return try intake.merge { merge throws(FeedError) in
                var completed: [ResourceURL] = []
                try merge.complete(
                    with: { wanted, feed in wanted == digest("one") && feed == .second ? (3, .png) : nil },
                    { completed.append($0) })
                return completed
            }
        }
        #expect(completed == [.image(0)])
        #expect(try await data(0, of: .second, in: cache) == digest("one"))
        #expect(try scratch.query("SELECT group_concat(url) FROM left_out") == ResourceURL.image(1).text)
    }

    @Test("remembered images are forgotten with their feed, and when nothing references them")
    func forgetting() async throws {
        let cache = try await scratch.open()
        _ = try await merge(cache, adopting: [leftOut("one", at: .image(0)), leftOut("one", at: .image(8))])
        _ = try await cache.images.removeUnreferenced(.forReal)
        #expect(try scratch.query("SELECT group_concat(url) FROM left_out") == ResourceURL.image(0).text)
        try await cache.feeds.change { change throws(FeedError) in try change.delete(.second) }
        #expect(try scratch.query("SELECT count(*) FROM left_out") == "0")
    }
}
