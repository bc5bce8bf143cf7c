import CacheStorage
import FeedCore
import Glibc
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("The search for images in a cache")
struct ImageFinderTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    /// Saves two feeds with three images each, and the data of all of them except for the last image of the second.
    ///
    /// The images of the second feed were obtained later.
    private func fill() async throws -> Cache {
        let cache = try await scratch.open()
        for (feed, title, first) in [(ResourceURL.first, "Boats", 0), (.second, "Harbours", 3)] {
            let images = (first..<first + 3).map { number in
                FeedImage(
                    id: "\(number)", description: "Image \(number)", location: number == 1 ? "Köln" : nil,
                    url: .image(number),
                    post: FeedPost(
                        title: "A post", author: "Ann", tags: ["red", "tag \(number)"], text: "Text \(number)"))
            }
            try await cache.feeds.save(
                SavedFeed(
                    url: feed, feed: Feed(format: .rss, title: title, images: images),
                    savedAt: Timestamp(microseconds: 1)))
        }
        for number in 0..<5 { try await cache.images.publish("image \(number)", at: .image(number)) }
        // Each feed has data of each URL.
        try scratch.execute(
            """
            INSERT INTO data SELECT feeds.id, data.url, digest, size, media_type, NULL, NULL, fetched_at, imported
            FROM data JOIN feeds ON feeds.id <> data.feed
            """)
        try scratch.execute(
            "UPDATE data SET fetched_at = 100 + (SELECT CAST(item_id AS INTEGER) FROM items WHERE items.url = data.url)"
        )
        return cache
    }

    private func found(_ query: ImageQuery, in cache: Cache) async throws -> [String] {
        let ids = Mutex<[String]>([])
        let count = try await cache.search.find(query) { images in
            ids.withLock { $0 += images.compactMap(\.details?.image.id) }
        }
        let found = ids.withLock { $0 }
        #expect(found.count == count)
        return found
    }

    private func found(_ words: String..., in cache: Cache) async throws -> [String] {
        try await found(ImageQuery(words: words), in: cache)
    }

    @Test("the image whose data was obtained last comes first, and an image without data is left out")
    func order() async throws {
        #expect(try await found(in: try await fill()) == ["4", "3", "2", "1", "0"])
    }

    @Test("images of one moment come in the order of their feeds") func oneMoment() async throws {
        let cache = try await fill()
        try scratch.execute("UPDATE data SET fetched_at = 7")
        #expect(try await found(in: cache) == ["0", "1", "2", "3", "4"])
    }

    @Test(
        "a word is searched in each text of an image and in the title of its feed",
        arguments: [
            ("IMAGE 2", ["2"]), ("koln", ["1"]), ("a post", ["4", "3", "2", "1", "0"]), ("Tag 3", ["3"]),
            ("text 4", ["4"]), ("ann", ["4", "3", "2", "1", "0"]), ("boats", ["2", "1", "0"]), ("/image/1", []),
            ("text 5", []), ("images.example/1", ["1"]), ("Köl", ["1"]), ("red tag", []),
        ])
    func texts(word: String, expected: [String]) async throws {
        #expect(try await found(word, in: try await fill()) == expected)
    }

    @Test("every word must match") func everyWord() async throws {
        let cache = try await fill()
        #expect(try await found("boats", "text 1", in: cache) == ["1"])
        #expect(try await found("boats", "text 4", in: cache) == [])
    }

    @Test("a feed, a moment and a number limit the result") func limits() async throws {
        let cache = try await fill()
        #expect(try await found(ImageQuery(words: [], feed: .first), in: cache) == ["2", "1", "0"])
        let moment = Timestamp(microseconds: 102)
        #expect(try await found(ImageQuery(words: [], after: moment), in: cache) == ["4", "3"])
        #expect(try await found(ImageQuery(words: [], limit: 2), in: cache) == ["4", "3"])
    }

    @Test("a feed that was never saved is an error") func unknownFeed() async throws {
        let cache = try await fill()
        let error = await #expect(throws: FeedError.self) {
            try await cache.search.find(ImageQuery(words: [], feed: .known("https://a.example/"))) { _ in }
        }
        #expect(error?.kind == .notFound)
    }

    @Test("an image whose file is missing is left out and does not count for the limit") func missingFile() async throws
    {
        let cache = try await fill()
        let digest = try #require(try await cache.images.find([.image(4)])[0]).digest.hex
        unlink(scratch.path("images/sha256/\(digest)"))
        #expect(try await found(ImageQuery(words: [], limit: 2), in: cache) == ["3", "2"])
    }

    @Test("the data of another feed is left out") func otherFeed() async throws {
        let cache = try await fill()
        try scratch.execute(
            """
            DELETE FROM data;
            INSERT INTO data SELECT id, '\(ResourceURL.image(0))', zeroblob(32), 1, 'image/png', NULL, NULL, 1, 0 FROM feeds
                ORDER BY id DESC LIMIT 1
            """)
        #expect(try await found(ImageQuery(words: [], feed: .first), in: cache) == [])
    }

    @Test("the data of an alternative counts with its own date") func alternative() async throws {
        let cache = try await fill()
        try scratch.execute("UPDATE items SET alternatives = '\(ResourceURL.image(3))' WHERE item_id = '5'")
        #expect(try await found(in: cache) == ["4", "3", "5", "2", "1", "0"])
    }

    @Test("many images are found with the data that their feed sees first, by their descriptions only if asked")
    func oneForAll() async throws {
        let cache = try await fill()
        let (zero, one) = (ResourceURL.image(0).text, ResourceURL.image(1).text)
        try scratch.execute(
            """
            WITH RECURSIVE number(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM number WHERE n < 12009)
            INSERT INTO items (feed, position, item_id, url, description, alternatives)
            SELECT (SELECT min(id) FROM feeds), n, n,
                iif(n >= 12000, iif(n % 2, 'https://a.example/' || n, '\(one)'), '\(zero)'), 'd' || n,
                iif(n >= 12005, '\(ResourceURL.image(2))', NULL) FROM number;
            UPDATE data SET fetched_at = 90 WHERE url = '\(one)';
            UPDATE data SET fetched_at = 80 WHERE url = '\(zero)';
            INSERT INTO own_data (feed, item_id, url, digest, size, media_type, fetched_at)
            SELECT feed, '12000', '\(one)', digest, size, media_type, 100 FROM data WHERE url = '\(ResourceURL.image(3))'
            """)
        // An odd image has data only under its alternative, and the image 12000 has data of its own.
        let rest = ["1"] + [12002, 12004, 12006, 12008].map(String.init) + ["0"] + (10..<12000).map(String.init)
        let expected = ["2"] + [12005, 12007, 12009].map(String.init) + ["12000"] + rest
        #expect(try await found(ImageQuery(words: [], feed: .first), in: cache) == expected)
        let descriptions = Mutex<[String?]>([])
        _ = try await cache.search.find(ImageQuery(words: [], feed: .first, hasDetails: false)) { images in
            #expect(images.allSatisfy { $0.details == nil })
            descriptions.withLock { $0 += images.map(\.description) }
        }
        let ids = descriptions.withLock { $0.compactMap { $0 }.map { String($0.drop { !$0.isNumber }) } }
        #expect(ids == expected)
    }

    @Test("thousands of images are found in batches") func many() async throws {
        let cache = try await fill()
        try scratch.execute(
            """
            WITH RECURSIVE number(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM number WHERE n < 2009)
            INSERT INTO items (feed, position, item_id, url)
            SELECT (SELECT min(id) FROM feeds), n, n, '\(ResourceURL.image(0))' FROM number
            """)
        let ids = try await found(ImageQuery(words: [], feed: .first), in: cache)
        #expect(ids == ["2", "1", "0"] + (10..<2010).map { "\($0)" })
    }
}
