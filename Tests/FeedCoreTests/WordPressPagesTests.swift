import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("The pages of a WordPress feed")
struct WordPressPagesTests {
    /// Each page's body lists the ids of its items; an item in capitals has an image.
    private struct Decoder: FeedDecoding {
        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            let ids = String(decoding: document.bytes, as: UTF8.self).filter { $0.isLetter }
            let images = ids.filter(\.isUppercase).map { id in
                FeedImage(id: "\(id)", url: .known("https://images.example/\(id)"))
            }
            return DecodedFeed(
                feed: Feed(format: .rss, title: nil, images: images), itemStarts: Array(images.indices),
                itemHashes: Set(ids.map(\.hashValue)), isOfWordPress: true)
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            throw .invalidData("no list")
        }
    }

    /// Loads the pages, and returns the ids of the images and the requested URLs without their beginning.
    private func load(
        _ pages: [String], at feed: String = "feed", end: ScriptedHTTPClient.Answer = .status(404), atMost: Int = .max
    ) async throws -> (ids: [String], asked: [String]) {
        let requests = Tally()
        let client = ScriptedHTTPClient { _ in
            let number = requests.count
            requests.add(1)
            return number < pages.count ? .ok(Array(pages[number].utf8)) : end
        }
        let loader = RemoteFeedLoader(client: client, decoder: Decoder(), maxBytes: 10_000, maxPages: atMost)
        let answer = try await loader.load(try ResourceURL("https://blog.example/\(feed)"))
        guard case .feed(let feed, _) = answer.content else { return ([], []) }
        let beginning = "https://blog.example/".count
        return (feed.images.map(\.id), client.requests.map { String($0.url.text.dropFirst(beginning)) })
    }

    @Test("follow its URL until a page is missing")
    func missing() async throws {
        let (ids, asked) = try await load(["A", "B", "C"])
        #expect(ids == ["A", "B", "C"])
        #expect(asked == ["feed", "feed?paged=2", "feed?paged=3", "feed?paged=4"])
    }

    @Test(
        "keep the other parameters of its URL",
        arguments: [
            ("feed?cat=5", "feed?cat=5&paged=2", "feed?cat=5&paged=3"),
            ("?feed=rss2&paged=1", "?feed=rss2&paged=2", "?feed=rss2&paged=3"),
            ("feed?paged=7&cat=5", "feed?paged=8&cat=5", "feed?paged=9&cat=5"),
            ("feed?paged&x=%26&paged=z", "feed?paged=2&x=%26", "feed?paged=3&x=%26"),
            ("feed/?unpaged=4", "feed/?unpaged=4&paged=2", "feed/?unpaged=4&paged=3"),
            ("feed?#top", "feed?paged=2", "feed?paged=3"),
        ])
    func parameters(feed: String, second: String, third: String) async throws {
        #expect(try await load(["A", "B", "C"], at: feed, atMost: 3).asked == [feed, second, third])
    }

    @Test(
        "end with a page that is empty or has nothing new",
        arguments: [
            (["AB", "C", ""], ["A", "B", "C"], 3), (["AB", "AB"], ["A", "B"], 2),
            (["AB", "CA", "BC"], ["A", "B", "C"], 3),
            ([""], [], 1), (["ab", "c", "bc"], [], 3), (["Ab", "c", "D", "D"], ["A", "D"], 4),
        ])
    func ends(pages: [String], expected: [String], requests: Int) async throws {
        let (ids, asked) = try await load(pages, end: .status(500))
        #expect(ids == expected)
        #expect(asked.count == requests)
    }

    @Test("fail the load with any failure but a missing page", arguments: [403, 410, 500])
    func failing(status: Int) async throws {
        let error = await #expect(throws: FeedError.self) { try await load(["A", "B"], end: .status(status)) }
        #expect(error?.message == "page 3, https://blog.example/feed?paged=3: the server answered HTTP \(status)")
    }
}
