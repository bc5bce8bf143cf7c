import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Sync")
struct FeedSyncTests {
    private static let now = SyncFixture.now
    private let fixture = SyncFixture()
    private var feeds: InMemoryFeedStore { fixture.feeds }
    private var images: InMemoryImageStore { fixture.images }

    private func server(_ answers: [String: ScriptedHTTPClient.Answer] = [:]) -> ScriptedHTTPClient {
        fixture.server(answers)
    }

    private func sync(
        _ names: [String], on client: ScriptedHTTPClient, serving feed: Feed? = nil,
        as identity: OwnCredentials = OwnCredentials(),
        dryRun: Bool = false
    ) async throws -> SyncReport {
        try await fixture.sync(names, on: client, serving: feed, as: identity, dryRun: dryRun)
    }

    private func feedURL(_ name: String) throws -> ResourceURL { try fixture.feedURL(name) }

    private func save(_ name: String, daysAgo: Int) async throws { try await fixture.save(name, daysAgo: daysAgo) }

    @Test("A sync saves the feed and downloads all its images")
    func happy() async throws {
        let report = try await sync(["a.json"], on: server())
        #expect(report.feeds.map(\.outcome) == [.updated])
        #expect(report.feeds.map(\.images) == [3])
        #expect(report.feeds.map(\.savedAt) == [Self.now])
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 3)
        #expect(report.fatal == nil)
        #expect(!report.wasCancelled)
    }

    @Test("A sync requests no image that is in the cache")
    func again() async throws {
        _ = try await sync(["a.json"], on: server())
        let client = server()
        let report = try await sync(["a.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.unchanged])
        #expect(report.images.cached == 3)
        #expect(report.images.downloaded == 0)
        #expect(client.requests.count == 1)
    }

    @Test("A sync requests only the missing images of a feed that is looked up in several parts")
    func largeFeed() async throws {
        let all = try Samples.feed(2_300)
        let some = all.images.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        _ = try await sync(["a.json"], on: server(), serving: Feed(format: .essential, images: some))
        let client = server()
        let report = try await sync(["a.json"], on: client, serving: all)
        #expect(report.images.cached == some.count)
        #expect(Set(client.requests.map(\.url).dropFirst()) == Set(all.images.map(\.url)).subtracting(some.map(\.url)))
    }

    @Test("An image of two feeds, or of two items, is downloaded once")
    func distinct() async throws {
        let image = try Samples.image(1)
        let feed = Feed(format: .essential, images: [image, FeedImage(id: "other", url: image.url)])
        let client = server()
        let report = try await sync(["a.json", "b.json"], on: client, serving: feed)
        #expect(report.feeds.map(\.images) == [2, 2])
        #expect(report.images.total == 1)
        #expect(client.requests.count { $0.url == image.url } == 1)
    }

    @Test("Two URLs that differ only in the encoding of an é are two images")
    func canonicallyEquivalent() async throws {
        let images = try ["caf\u{E9}", "cafe\u{301}"].map { name in
            FeedImage(id: name, url: try Samples.url("https://images.example/\(name).png"))
        }
        let report = try await sync(["a.json"], on: server(), serving: Feed(format: .essential, images: images))
        #expect(report.images.total == 2)
        #expect(report.images.downloaded == 2)
    }

    @Test("A feed whose rows are unreadable fails, and the other feeds get their images")
    func unreadableFeed() async throws {
        feeds.fail(.retrieve, with: .storage(.unreadable, "broken"))
        let report = try await sync(["a.json"], on: server())
        #expect(report.feeds.map(\.outcome) == [.failed])
        #expect(report.fatal == nil)
    }

    @Test("If both the server and the saved feed fail, the error names both causes")
    func neither() async throws {
        let feeds = feeds
        let client = ScriptedHTTPClient { _ in
            .status(503).after { feeds.fail(.retrieve, with: .storage(.unreadable, "broken")) }
        }
        let error = try #require(try await sync(["a.json"], on: client).feeds[0].error)
        #expect(error.kind == .storage(.unreadable))
        #expect(error.message.contains("broken") && error.message.contains("HTTP 503"), "\(error.message)")
    }

    @Test("A sync tries every feed and reports the feeds in their order")
    func several() async throws {
        let client = server(["b.json": .status(404)])
        let report = try await sync(["a.json", "b.json", "c.json"], on: client)
        #expect(report.feeds.map(\.url.text.last) == ["n", "n", "n"])
        #expect(report.feeds.map(\.outcome) == [.updated, .failed, .updated])
        #expect(report.feeds[1].error?.status == 404)
        #expect(report.images.downloaded == 3)
    }

    @Test("A feed out of reach with a fresh copy is offline, and its missing images are skipped")
    func offline() async throws {
        try await save("a.json", daysAgo: 6)
        let client = server(["a.json": .failure(.connectivity("refused"))])
        let report = try await sync(["a.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.offline])
        #expect(report.feeds[0].savedAt == Self.now + .seconds(-86_400 * 6))
        #expect(report.images.total == 3)
        #expect(report.images.skipped == 3)
        #expect(client.requests.count == 1)
    }

    @Test("A feed out of reach with a stale copy fails, and the copy stays")
    func stale() async throws {
        try await save("a.json", daysAgo: 7)
        let report = try await sync(["a.json"], on: server(["a.json": .status(503)]))
        #expect(report.feeds.map(\.outcome) == [.failed])
        #expect(report.feeds[0].error?.kind == .connectivity)
        #expect(try await feeds.retrieve(try feedURL("a.json")) != nil)
    }

    @Test("A feed with invalid data fails, however fresh its copy is")
    func invalid() async throws {
        try await save("a.json", daysAgo: 1)
        let report = try await sync(["a.json"], on: server(["a.json": .status(410)]))
        #expect(report.feeds.map(\.outcome) == [.failed])
        #expect(report.images.total == 0)
    }

    @Test("A cache that cannot be written ends the run")
    func fatal() async throws {
        feeds.fail(.insert)
        let client = server()
        let report = try await sync(["a.json"], on: client)
        #expect(report.fatal == .storage(.failed, "disk on fire"))
        #expect(client.requests.count == 1)
    }

    @Test("A cache that cannot be searched ends the run")
    func fatalLookup() async throws {
        images.fail(.find)
        let report = try await sync(["a.json"], on: server())
        #expect(report.feeds.map(\.outcome) == [.updated])
        #expect(report.fatal == .storage(.failed, "disk on fire"))
    }

    @Test("A dry run requests only feeds and saves nothing")
    func dryRun() async throws {
        let client = server()
        let report = try await sync(["a.json"], on: client, dryRun: true)
        #expect(client.requests.count == 1)
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 0)
        #expect(feeds.messages == [.retrieve])
        #expect(images.messages == [.find, .failures])
    }

    @Test("A cancelled sync reports no feed and no error")
    func cancelled() async throws {
        let answer = ScriptedHTTPClient.Answer.ok([1]).after { withUnsafeCurrentTask { $0?.cancel() } }
        let client = server(["a.json": answer])
        let report = try await sync(["a.json"], on: client)
        #expect(report.feeds.isEmpty)
        #expect(report.fatal == nil)
    }

    @Test("A sync reports events as they happen")
    func events() async throws {
        let (stream, events) = SyncEvents.makeStream()
        let local = LocalFeedLoader(store: feeds, now: { Self.now })
        let client = server(["1.png": .status(404)])
        let remote = RemoteFeedLoader(client: client, decoder: StubDecoder(try Samples.feed(3)), maxBytes: 1000)
        let downloads = ImageDownloads(asking: client, store: images, jobs: 4, now: { Self.now })
        let sync = FeedSync(
            general: FeedPolicy(refresh: FeedRefresh(remote: remote, local: local), maxAge: .standard),
            local: local, images: images, downloads: downloads, now: { Self.now })
        _ = await sync.run([try feedURL("a.json")], events: events)
        var seen: [String] = []
        for await event in stream {
            switch event {
            case .feed(let report): seen.append("feed \(report.outcome)")
            case .feedStep(_, let step): seen.append("\(step)".prefix { $0 != "(" }.description)
            case .imagesSurveyed(let count, let wanted): seen.append("surveyed \(count), \(wanted)")
            case .imageAnswered: seen.append("answered")
            case .imagesFound(_, let total, let cached): seen.append("found \(total), \(cached)")
            case .imageCached: seen.append("cached")
            case .imageSkipped: seen.append("skipped")
            case .imageMissing: seen.append("missing")
            case .imageToRevalidate: seen.append("to revalidate")
            case .imageLeftAlone: seen.append("left alone")
            case .imageTooSmall: seen.append("too small")
            case .imageUnchanged: seen.append("unchanged")
            case .imageDownloaded: seen.append("downloaded")
            case .imageFailed(_, let error): seen.append("failed \(error.status ?? 0)")
            }
        }
        let steps = ["encoding", "timestamped", "saving"]
        #expect(seen.prefix(5) == ArraySlice(steps + ["feed updated", "surveyed 3, 3"]))
        let ends = ["answered", "answered", "answered", "downloaded", "downloaded", "failed 404", "found 3, 0"]
        #expect(seen.dropFirst(5).sorted() == ends)
    }

    @Test("Only images at the feed's own origin are requested with its secrets")
    func secrets() async throws {
        let feed = Feed(
            format: .essential, images: [try Samples.image(1, host: "feeds.example"), try Samples.image(2)])
        let client = server()
        _ = try await sync(["a.json"], on: client, serving: feed, as: OwnCredentials(headers: ["X-Key: 1"]))
        for request in client.requests {
            let isOwn = request.url.host == "feeds.example"
            #expect((request.secretsToSend?.headers == ["X-Key: 1"]) == isOwn)
            #expect((request.secretsToSend == nil) == !isOwn)
        }
        #expect(client.requests.count == 3)
    }
}
