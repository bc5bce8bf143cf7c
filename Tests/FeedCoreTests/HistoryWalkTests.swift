import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("The history of a feed with --keep")
struct HistoryWalkTests {
    private let store = InMemoryFeedStore()
    private let site = Site()
    private let url = ResourceURL.known("https://feeds.example/1")

    /// The pages of a feed: the ids of their items, and the failures.
    private final class Site: Sendable {
        private let pages = Mutex<[[String]]>([])
        private let failures = Mutex<[Int: ScriptedHTTPClient.Answer]>([:])

        /// Serves these pages from now on, a word for each item.
        func serve(_ pages: String...) {
            self.pages.withLock { $0 = pages.map { $0.split(separator: " ").map(String.init) } }
        }

        func fail(_ page: Int, with answer: ScriptedHTTPClient.Answer?) { failures.withLock { $0[page] = answer } }

        func answer(_ page: Int) -> ScriptedHTTPClient.Answer {
            if let failure = failures.withLock({ $0[page] }) { return failure }
            let pages = pages.withLock { $0 }
            guard pages.indices.contains(page - 1) else { return .status(404) }
            var answer = ScriptedHTTPClient.Answer.ok(Array(pages[page - 1].joined(separator: " ").utf8))
            if page < pages.count { answer.head[.link] = "</\(page + 1)>; rel=next" }
            return answer
        }
    }

    private struct Decoder: FeedDecoding {
        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            let ids = String(decoding: document.bytes, as: UTF8.self).split(separator: " ").map(String.init)
            let images = ids.map { FeedImage(id: $0, url: .known("https://images.example/\($0)")) }
            return DecodedFeed(
                feed: Feed(format: .jsonFeed, title: nil, images: images), itemStarts: Array(images.indices),
                itemHashes: Set(ids.map(\.hashValue)))
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            throw .invalidData("no list")
        }
    }

    private static func number(_ request: HTTPRequest) -> Int {
        Int(request.url.text.split(separator: "/").last ?? "") ?? 0
    }

    /// Refreshes the feed, and returns the requested pages.
    private func refresh(
        pages: Int = .max, keep: String? = "forever", now: Int64 = 1_000_000, maxBytes: Int64 = 100_000,
        before: (@Sendable (Int) async -> Void)? = nil
    ) async throws -> (asked: [Int], FeedRefresh.Refreshed) {
        let client = ScriptedHTTPClient { [site] request in
            let page = Self.number(request)
            let answer = site.answer(page)
            guard let before else { return answer }
            return answer.after { await before(page) }
        }
        let remote = RemoteFeedLoader(client: client, decoder: Decoder(), maxBytes: maxBytes, maxPages: pages)
        let local = LocalFeedLoader(store: store, now: { Timestamp(microseconds: now * 1_000_000) })
        let refresh = FeedRefresh(remote: remote, local: local, keep: keep.flatMap(Keep.init))
        let refreshed = try await refresh.refresh(url)
        return (client.requests.map(Self.number), refreshed)
    }

    /// Returns the ids of the current and the kept items, and the next pages of open walks.
    private func saved() async throws -> String {
        guard let saved = try await store.retrieve(url, withKept: true) else { return "nothing" }
        let ids = [saved.feed.images, saved.kept].map { $0.map(\.id).joined(separator: " ") }
        return "\(ids[0]) | \(ids[1]) | \(saved.walks.map(\.page.number))"
    }

    @Test("The first page is the current feed, and the items of older pages are kept in their order")
    func whole() async throws {
        site.serve("f e", "d e c", "b a")
        let (asked, refreshed) = try await refresh()
        #expect(asked == [1, 2, 3])
        #expect(refreshed.outcome == .updated)
        #expect(refreshed.pageFailure == nil)
        #expect(refreshed.keptCount == 4)
        #expect(try await store.keptWithoutData(of: url).map(\.id) == ["d", "c", "b", "a"])
        #expect(try await saved() == "f e | d c b a | []")
    }

    @Test("Each page is saved before the next one is requested")
    func stepByStep() async throws {
        site.serve("f", "e", "d", "c")
        let states = Mutex<[String]>([])
        _ = try await refresh { [self] page in
            do {
                let state = try await saved()
                states.withLock { $0.append(state) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(states.withLock { $0 } == ["nothing", "f |  | [2]", "f | e | [3]", "f | e d | [4]"])
    }

    @Test(
        "A page that fails leaves the pages before it saved, and the next run continues there",
        arguments: [ScriptedHTTPClient.Answer.status(404), .status(503), .failure(.connectivity("no connection"))])
    func failing(answer: ScriptedHTTPClient.Answer) async throws {
        site.serve("f", "e", "d", "c")
        site.fail(3, with: answer)
        for (expected, outcome) in [([1, 2, 3], FeedRefresh.Outcome.updated), ([1, 3], .unchanged)] {
            let (asked, refreshed) = try await refresh()
            #expect(asked == expected)
            #expect(refreshed.outcome == outcome)
            #expect(refreshed.pageFailure?.message.hasPrefix("page 3, https://feeds.example/3: ") == true)
            #expect(try await saved() == "f | e | [3]")
        }
        site.fail(3, with: nil)
        let (asked, refreshed) = try await refresh(now: 2_000_000)
        #expect(asked == [1, 3, 4])
        #expect(refreshed.pageFailure == nil)
        #expect(try await saved() == "f | e d c | []")
    }

    @Test("Without --keep, a page that fails fails the load")
    func withoutKeep() async throws {
        site.serve("f", "e", "d")
        site.fail(3, with: .status(500))
        for keep in [nil, "none"] {
            let error = await #expect(throws: FeedError.self) { try await refresh(keep: keep) }
            #expect(error?.message == "page 3, https://feeds.example/3: the server answered HTTP 500")
        }
        #expect(try await store.retrieve(url) == nil)
    }

    @Test("A later run continues only until a page contains nothing new")
    func later() async throws {
        site.serve("f e", "d c", "b a")
        _ = try await refresh()
        #expect(try await refresh().asked == [1])
        site.serve("g f", "e d", "c b", "a")
        #expect(try await refresh(now: 2_000_000).asked == [1, 2])
        #expect(try await saved() == "g f | e d c b a | []")
        site.serve("l k", "j i", "h g", "f e", "d c")
        #expect(try await refresh(now: 3_000_000).asked == [1, 2, 3, 4])
        #expect(try await saved() == "l k | j i h g f e d c b a | []")
    }

    @Test("A page without an image ends no walk")
    func withoutImages() async throws {
        site.serve("f e", "", "d c")
        #expect(try await refresh().asked == [1, 2, 3])
        site.serve("i h", "", "g f", "e d", "c")
        #expect(try await refresh(now: 2_000_000).asked == [1, 2, 3, 4])
        #expect(try await saved() == "i h | g f e d c | []")
    }

    @Test("New items move the pages of a walk that continues, and no item is lost")
    func moved() async throws {
        site.serve("f e", "d c", "b a")
        site.fail(3, with: .status(500))
        _ = try await refresh()
        site.fail(3, with: nil)
        site.serve("i h", "g f", "e d", "c b", "a")
        #expect(try await refresh(now: 2_000_000).asked == [1, 2, 3, 4, 5])
        #expect(try await saved() == "i h | g f e d c b a | []")
    }

    @Test("A run that loses its way through new items continues there, and then at the older page")
    func twoWalks() async throws {
        site.serve("b1 b2", "a1 a2", "z1 z2", "y1 y2")
        site.fail(3, with: .status(500))
        _ = try await refresh()
        site.serve("d1 d2", "c1 c2", "b1 b2", "a1 a2", "z1 z2", "y1 y2")
        site.fail(2, with: .status(500))
        #expect(try await refresh(now: 2_000_000).asked == [1, 2])
        #expect(try await saved() == "d1 d2 | b1 b2 a1 a2 | [2, 3]")
        for page in [2, 3] { site.fail(page, with: nil) }
        #expect(try await refresh(now: 3_000_000).asked == [1, 2, 3, 4, 5, 6])
        #expect(try await saved() == "d1 d2 | c1 c2 b1 b2 a1 a2 z1 z2 y1 y2 | []")
        #expect(try await refresh(now: 4_000_000).asked == [1])
    }

    @Test("--pages N means the newest N pages, and more pages begin a new walk")
    func number() async throws {
        site.serve("f", "e", "d", "c", "b")
        #expect(try await refresh(pages: 3).asked == [1, 2, 3])
        #expect(try await saved() == "f | e d | []")
        #expect(try await refresh(pages: 3).asked == [1])
        #expect(try await refresh(pages: 4).asked == [1, 2, 3, 4])
        #expect(try await refresh(pages: 1).asked == [1])
        #expect(try await refresh().asked == [1, 2, 3, 4, 5])
        #expect(try await refresh().asked == [1])
        #expect(try await saved() == "f | e d c b | []")
    }

    @Test("A run with fewer pages leaves a walk open for the runs after it")
    func fewer() async throws {
        site.serve("f", "e", "d", "c")
        site.fail(3, with: .status(500))
        _ = try await refresh()
        #expect(try await refresh(pages: 1).asked == [1])
        site.serve("h", "g", "f", "e", "d", "c")
        #expect(try await refresh(pages: 1, now: 2_000_000).asked == [1])
        #expect(try await saved() == "h | f e | [2, 3]")
        site.fail(3, with: nil)
        #expect(try await refresh(now: 3_000_000).asked == [1, 2, 3, 4, 5, 6])
        #expect(try await saved() == "h | g f e d c | []")
    }

    @Test("--keep COUNT ends the history with the page that it no longer covers")
    func full() async throws {
        site.serve("f", "e", "d", "c", "b")
        #expect(try await refresh(keep: "3").asked == [1, 2, 3, 4])
        #expect(try await saved() == "f | e d | []")
        #expect(try await refresh(keep: "3").asked == [1])
    }

    @Test("A walk has at most as many images as a feed, and the next run continues")
    func mostImages() async throws {
        site.serve("a b", "c d", "e f", "g h")
        let (_, refreshed) = try await refresh(maxBytes: 1280)
        #expect(
            refreshed.pageFailure?.message
                == "page 3, https://feeds.example/3: more than 5 images (see --max-feed-size)")
        #expect(try await saved() == "a b | c d | [3]")
        #expect(try await refresh(maxBytes: 1280).asked == [1, 3, 4])
    }

    @Test("A saved next page on another origin is not requested")
    func otherOrigin() async throws {
        site.serve("f", "e")
        _ = try await refresh()
        let page = FeedPage(url: .known("https://other.example/2"), number: 2)
        try await store.change { [url] change throws(FeedError) in
            try change.setWalks([OpenWalk(page: page, endsAtSaved: false, begun: Timestamp(microseconds: 1))], of: url)
        }
        #expect(try await refresh().asked == [1])
        #expect(try await saved() == "f | e | []")
    }

    @Test("Items without ids are kept by the URLs of all their images")
    func withoutIDs() async throws {
        let (logo, first, second) = ("https://images.example/l", "https://images.example/a", "https://images.example/b")
        let images = { (urls: [String]) in urls.map { FeedImage(id: $0, url: .known($0)) } }
        let remote = RemoteFeedLoader(
            client: ScriptedHTTPClient { request in
                var answer = ScriptedHTTPClient.Answer.ok([UInt8(Self.number(request))])
                if Self.number(request) == 1 { answer.head[.link] = "</2>; rel=next" }
                return answer
            },
            decoder: ListDecoder(pages: [images([logo, first]), images([logo, second])]), maxBytes: 10_000,
            maxPages: .max)
        let local = LocalFeedLoader(store: store, now: { Timestamp(microseconds: 1_000_000) })
        _ = try await FeedRefresh(remote: remote, local: local, keep: .forever).refresh(url)
        #expect(try await saved() == "\(logo) \(first) | \(second) | []")
    }

    /// Each page has one item; the body is the number of the page.
    private struct ListDecoder: FeedDecoding {
        let pages: [[FeedImage]]

        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            DecodedFeed(
                feed: Feed(format: .rss, title: nil, images: pages[Int(document.bytes[0]) - 1]), itemStarts: [0])
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            throw .invalidData("no list")
        }
    }
}
