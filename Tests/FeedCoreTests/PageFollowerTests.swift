import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Follow the links of items without an image")
struct PageFollowerTests {
    private let store = InMemoryFeedStore()
    private let images = InMemoryImageStore()
    private static let url = ResourceURL.known("https://feeds.example/feed.xml")
    private static let start = Timestamp(microseconds: 1_774_744_200_000_000)
    private static let hour = Duration.seconds(3600)

    /// A feed with a page for each name.
    private static func feed(_ names: [String], hasIDs: Bool = true) -> Feed {
        Feed(
            format: .rss,
            images: names.map { name in
                let url = page(name)
                return FeedImage(
                    id: hasIDs ? "id-\(name)" : url.text, description: "Post \(name)", url: url,
                    post: FeedPost(title: "Post \(name)", link: url), target: .page(ofItemWithID: hasIDs))
            })
    }

    private static func page(_ name: String) -> ResourceURL { .known("https://blog.example/\(name)") }

    private static func html(_ images: [UInt8]) -> ScriptedHTTPClient.Answer {
        .ok(images, contentType: "text/html; charset=utf-8")
    }

    /// A server with a feed, and pages whose bytes stand for their images.
    private static func server(
        _ pages: [String: ScriptedHTTPClient.Answer], etag: String? = nil
    ) -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            if request.url == url {
                return request.validators.isEmpty ? .ok([1], validators: Validators(etag: etag)) : .status(304)
            }
            return pages[String(request.url.text.split(separator: "/").last ?? "")] ?? .status(404)
        }
    }

    private func refresh(
        _ feed: Feed, _ client: any HTTPClient, saves: Bool = true, follows: Bool = true, retriesFailed: Bool = false,
        after time: Duration = .zero, every: MaxAge? = nil, pagesAtOnce: Int = 4, mostImages: Int = 1000,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws -> FeedRefresh.Refreshed {
        let now = Self.start + time
        let decoder = StubDecoder(feed)
        let selection = ImageSelection(follows: follows)
        let remote = RemoteFeedLoader(client: client, decoder: decoder, maxBytes: 1000, selection: selection)
        let follower = PageFollower(
            client: client, decoder: decoder, selection: selection, mostImages: mostImages,
            retriesFailed: retriesFailed, pagesAtOnce: pagesAtOnce, now: { now })
        let refresh = FeedRefresh(
            remote: remote, local: LocalFeedLoader(store: store, now: { now }), saves: saves,
            interval: every.map { .init(every: .age($0), maxAge: .forever, images: images) },
            following: follows ? follower : nil)
        return try await refresh.refresh(Self.url, telling: tell)
    }

    private static func paths(_ client: ScriptedHTTPClient) -> [String] {
        client.requests.map { String($0.url.text.split(separator: "/").last ?? "") }.sorted()
    }

    @Test("the images of a page become images of the item, in the order of the feed")
    func images() async throws {
        let client = Self.server(["a": Self.html([1, 2]), "b": Self.html([3])])
        let refreshed = try await refresh(Self.feed(["a", "b"]), client)
        #expect(refreshed.feed.images.map(\.id) == ["id-a", "id-a#2", "id-b"])
        #expect(refreshed.feed.images.map(\.url) == [.image(1), .image(2), .image(3)])
        #expect(refreshed.feed.images.map(\.description) == ["Post a", "Post a", "Post b"])
        #expect(refreshed.feed.images.map(\.link) == [Self.page("a"), Self.page("a"), Self.page("b")])
        #expect(refreshed.feed.images.allSatisfy { $0.target == .image })
        #expect(try await store.retrieve(Self.url)?.feed == refreshed.feed)
    }

    @Test("an image of an item without an id has its URL as its id")
    func withoutID() async throws {
        let client = Self.server(["a": Self.html([1, 2])])
        let refreshed = try await refresh(Self.feed(["a"], hasIDs: false), client)
        #expect(refreshed.feed.images.map(\.id) == [ResourceURL.image(1).text, ResourceURL.image(2).text])
    }

    @Test("a later run requests no page again, with images or without")
    func once() async throws {
        let pages = ["a": Self.html([1]), "b": Self.html([])]
        let first = try await refresh(Self.feed(["a", "b"]), Self.server(pages))
        #expect(first.feed.images.count == 1)
        let client = Self.server(pages)
        #expect(try await refresh(Self.feed(["a", "b"]), client).outcome == .unchanged)
        #expect(Self.paths(client) == ["feed.xml"])
        let third = Self.server(["c": Self.html([3])])
        #expect(try await refresh(Self.feed(["c", "a", "b"]), third).feed.images.map(\.id) == ["id-c", "id-a"])
        #expect(Self.paths(third) == ["c", "feed.xml"])
    }

    @Test("two items that link to one page share its request")
    func shared() async throws {
        let client = Self.server(["a": Self.html([1])])
        #expect(try await refresh(Self.feed(["a", "a"]), client).feed.images.count == 2)
        #expect(Self.paths(client) == ["a", "feed.xml"])
    }

    @Test("a 304 requests no page, unless a failed page is due")
    func notModified() async throws {
        _ = try await refresh(Self.feed(["a", "b"]), Self.server(["a": Self.html([1])], etag: "\"1\""))
        let early = Self.server([:], etag: "\"1\"")
        let second = try await refresh(Self.feed(["a", "b"]), early, after: Self.hour * 0.5)
        #expect(Self.paths(early) == ["feed.xml"])
        #expect(early.requests.first?.validators.isEmpty == false)
        #expect(second.linkedPages.leftAlone.map(\.url) == [Self.page("b")])
        let late = Self.server(["b": Self.html([2])], etag: "\"1\"")
        let third = try await refresh(Self.feed(["a", "b"]), late, after: Self.hour * 2)
        #expect(Self.paths(late) == ["b", "feed.xml"])
        #expect(third.feed.images.map(\.id) == ["id-a", "id-b"])
        #expect(third.outcome == .updated)
    }

    @Test("a page that fails permanently is left alone for a growing time, and requested with --retry-failed")
    func permanent() async throws {
        let feed = Self.feed(["a"])
        let first = try await refresh(feed, Self.server([:]))
        #expect(first.linkedPages.failed.map(\.url) == [Self.page("a")])
        let plan: [(Double, Bool, Bool)] = [
            (0.5, false, false), (1.1, false, true), (2.5, false, false), (2.6, true, true), (6, false, false),
            (7, false, true),
        ]
        for (hours, retries, isRequested) in plan {
            let client = Self.server([:])
            let refreshed = try await refresh(feed, client, retriesFailed: retries, after: Self.hour * hours)
            #expect(Self.paths(client) == (isRequested ? ["a", "feed.xml"] : ["feed.xml"]), "\(hours)")
            #expect(refreshed.linkedPages.failed.count == (isRequested ? 1 : 0))
            #expect(refreshed.linkedPages.leftAlone.count == (isRequested ? 0 : 1))
        }
    }

    @Test("a page that fails for a passing reason is requested in the next run")
    func passing() async throws {
        let feed = Self.feed(["a"])
        let first = try await refresh(feed, Self.server(["a": .status(503)], etag: "\"1\""))
        #expect(first.linkedPages.failed.count == 1)
        #expect(first.feed.images.isEmpty)
        let client = Self.server(["a": Self.html([1])], etag: "\"1\"")
        #expect(try await refresh(feed, client, every: .forever).feed.images.count == 1)
        #expect(Self.paths(client) == ["a", "feed.xml"])
    }

    @Test(
        "only a web page with status 200 is read",
        arguments: [
            (.ok([1], contentType: "text/plain"), "type text/plain"), (.ok([1]), "without a type"),
            (.ok([1], contentType: "image/png"), "image/png"), (.status(404), "404"),
            (.failure(.larger(than: 5 << 20, host: "blog.example").at(.transferring)), "larger than 5M"),
        ] as [(ScriptedHTTPClient.Answer, String)])
    func others(answer: ScriptedHTTPClient.Answer, reason: String) async throws {
        let client = Self.server(["a": answer])
        let failed = try await refresh(Self.feed(["a"]), client).linkedPages.failed
        let failure = try #require(failed.first?.failure)
        #expect(failure.error.message.contains(reason), "\(failure.error.message)")
        #expect(failure.count == 1)
        #expect(client.requests.last?.maxBytes == 5 << 20)
    }

    @Test("a type in capitals and with parameters is that of a web page")
    func capitals() async throws {
        let client = Self.server(["a": .ok([1], contentType: "Text/HTML ;charset=x")])
        #expect(try await refresh(Self.feed(["a"]), client).feed.images.count == 1)
    }

    @Test("other rules request the pages again, and leave failed ones alone")
    func rules() async throws {
        _ = try await refresh(Self.feed(["a", "b"]), Self.server(["a": Self.html([1])]))
        var saved = try #require(try await store.retrieve(Self.url))
        let changed = SavedFeed(url: Self.url, feed: saved.feed, savedAt: saved.savedAt, rules: "others")
        let pages = saved.linkedPages
        saved = changed
        saved.linkedPages = pages
        try await store.change { [saved] change throws(FeedError) in try change.insert(saved) }
        let client = Self.server(["a": Self.html([2])])
        #expect(try await refresh(Self.feed(["a", "b"]), client).feed.images.map(\.url) == [.image(2)])
        #expect(Self.paths(client) == ["a", "feed.xml"])
    }

    @Test("a dry run requests no page and says how many it would request")
    func dryRun() async throws {
        let steps = Mutex<[FeedStep]>([])
        let client = Self.server(["a": Self.html([1])])
        _ = try await refresh(Self.feed(["a", "b"]), client, saves: false) { step in steps.withLock { $0.append(step) }
        }
        #expect(Self.paths(client) == ["feed.xml"])
        #expect(steps.withLock { $0 } == [.following(pages: 2)])
    }

    @Test("a walk through older pages of a feed follows the links of their items once, and reports those that fail")
    func history() async throws {
        let client = ScriptedHTTPClient { request in
            switch request.url {
            case Self.url:
                var first = ScriptedHTTPClient.Answer.ok([1])
                first.head[.link] = "</2>; rel=next"
                return first
            case .known("https://feeds.example/2"): return .ok([2])
            case Self.page("gone"): return .status(404)
            default: return Self.html([UInt8(request.url.text.utf8.last ?? 0) - UInt8(ascii: "0")])
            }
        }
        func refresh() async throws -> FeedRefresh.Refreshed {
            let decoder = PagesDecoder(pages: [Self.feed(["page1"]), Self.feed(["page2", "gone", "page3"])])
            let selection = ImageSelection(follows: true)
            return try await FeedRefresh(
                remote: RemoteFeedLoader(
                    client: client, decoder: decoder, maxBytes: 10_000, maxPages: .max, selection: selection),
                local: LocalFeedLoader(store: store, now: { Self.start }), keep: .forever,
                following: PageFollower(
                    client: client, decoder: decoder, selection: selection, mostImages: 1000, retriesFailed: false,
                    pagesAtOnce: 4, now: { Self.start })
            ).refresh(Self.url)
        }
        let refreshed = try await refresh()
        #expect(refreshed.linkedPages.failed.map(\.url) == [Self.page("gone")])
        let saved = try #require(try await store.retrieve(Self.url, withKept: true))
        #expect(saved.feed.images.map(\.url) == [.image(1)])
        #expect(saved.kept.map(\.url) == [.image(2), .image(3)])
        _ = try await refresh()
        #expect(client.requests.count == 7)
    }

    /// Reads a body as the number of a feed, and a page as the numbers of its images.
    private struct PagesDecoder: FeedDecoding {
        let pages: [Feed]

        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            DecodedFeed(feed: pages[Int(document.bytes[0]) - 1])
        }

        func readPage(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> [PageImage] {
            document.bytes.map { PageImage(url: .image(Int($0))) }
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            throw .invalidData("no list")
        }
    }

    @Test("pages that left the feed are forgotten")
    func forgotten() async throws {
        _ = try await refresh(Self.feed(["a", "b"]), Self.server(["a": Self.html([1])]))
        _ = try await refresh(Self.feed(["b"]), Self.server([:]))
        #expect(try await store.retrieve(Self.url)?.linkedPages.values.map(\.url) == [Self.page("b")])
    }

    @Test("a feed whose pages have too many images is invalid")
    func limit() async throws {
        let client = Self.server(["a": Self.html([1, 2, 3]), "b": Self.html([4])])
        await #expect(throws: FeedError.self) { try await refresh(Self.feed(["a", "b"]), client, mostImages: 3) }
    }

    @Test("no more pages are requested at once than allowed, and all of them are requested")
    func concurrency() async throws {
        let state = Mutex((running: 0, most: 0))
        let pages = (0..<50).map { "p\($0)" }
        let client = ScriptedHTTPClient { request in
            guard request.url != Self.url else { return .ok([1]) }
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
            return Self.html([1]).after {
                await Task.yield()
                state.withLock { $0.running -= 1 }
            }
        }
        _ = try await refresh(Self.feed(pages), client, pagesAtOnce: 3)
        #expect(client.requests.count == 51)
        #expect(state.withLock { $0.most } <= 3)
    }

    @Test("pages are requested on the terms of the images: public addresses only, and no secrets to another origin")
    func terms() async throws {
        let client = Self.server(["a": Self.html([1])])
        _ = try await refresh(Self.feed(["a"]), client)
        #expect(client.requests.map(\.addresses) == [.any, .publicOnly])
        #expect(client.requests.last?.secretsToSend == nil)
    }

    @Test("a cancelled run saves nothing")
    func cancelled() async throws {
        let gate = Mutex<Task<FeedRefresh.Refreshed, any Error>?>(nil)
        let client = ScriptedHTTPClient { request in
            request.url == Self.url ? .ok([1]) : Self.html([1]).after { gate.withLock { $0?.cancel() } }
        }
        let task = Task {
            while gate.withLock({ $0 == nil }) { await Task.yield() }
            return try await refresh(Self.feed(["a"]), client)
        }
        gate.withLock { $0 = task }
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(try await store.retrieve(Self.url) == nil)
    }
}
