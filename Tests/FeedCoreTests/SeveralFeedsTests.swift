import FeedCore
import TestSupport
import Testing

@Suite("A sync of several feeds")
struct SeveralFeedsTests {
    private let fixture = SyncFixture()

    /// Feeds that answer once `until` is over.
    private func slow(
        _ answer: ScriptedHTTPClient.Answer = .ok([1]), until: AsyncStream<Void>
    ) -> ScriptedHTTPClient.Answer {
        answer.after { for await _ in until { return } }
    }

    @Test("has the images of one while another is still awaited")
    func slowFeed() async throws {
        let (imageAsked, ask) = AsyncStream.makeStream(of: Void.self)
        let slow = slow(until: imageAsked)
        let client = ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/slow.json") { return slow }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            ask.yield()
            return .ok(Samples.png(request.url.text))
        }
        let report = try await fixture.sync(["slow.json", "fast.json"], on: client)
        #expect(report.feeds.map(\.url.text) == ["slow.json", "fast.json"].map { "https://feeds.example/\($0)" })
        #expect(report.feeds.map(\.outcome) == [.updated, .updated])
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 3)
        #expect(client.requests.count == 5)
    }

    @Test("keeps the images at a host back until its feeds are there, which could else come late or never")
    func sameHost() async throws {
        let client = fixture.server()
        let image = try Samples.image(1, host: "feeds.example")
        let report = try await fixture.sync(
            ["a.json", "b.json", "c.json"], on: client, serving: Feed(format: .essential, images: [image]), jobs: 1)
        #expect(report.images.downloaded == 1)
        #expect(client.requests.map(\.url.text.last) == ["n", "n", "n", "g"])
    }

    /// Nothing but a cancellation ends it.
    private static func forever() async {
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
    }

    @Test("ends with the feed that can't be saved, though the images of another are under way")
    func fatalFeed() async throws {
        let (imageAsked, ask) = AsyncStream.makeStream(of: Void.self)
        let slow = slow(until: imageAsked)
        let client = ScriptedHTTPClient { [fixture] request in
            if request.url.text.hasSuffix("/slow.json") { return slow }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            fixture.feeds.fail(.insert)
            ask.yield()
            return .ok(Samples.png).after { await Self.forever() }
        }
        let report = try await fixture.sync(["slow.json", "fast.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.failed, .updated])
        #expect(report.fatal == .storage(.failed, "disk on fire"))
        #expect(report.images.failures.isEmpty)
    }

    @Test("ends with the image that can't be stored, though another feed is awaited", arguments: [true, false])
    func fatalImage(isStored: Bool) async throws {
        fixture.images.fail(isStored ? .publish : .find)
        let client = ScriptedHTTPClient { request in
            guard !request.url.text.hasSuffix("/slow.json") else { return .ok([1]).after { await Self.forever() } }
            return request.url.text.hasSuffix(".png") ? .ok(Samples.png(request.url.text)) : .ok([1])
        }
        let report = try await fixture.sync(
            ["slow.json", "fast.json"], on: client, serving: try Samples.feed(isStored ? 600 : 1))
        #expect(report.feeds.map(\.outcome) == [.updated])
        #expect(report.fatal == .storage(.failed, "disk on fire"))
        #expect(!report.wasCancelled)
    }

    /// Both feeds name one image. It comes from a server that refuses `.publicOnly`, as one at a private address does.
    private func inside() -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/in.json") { return .ok([1]).fromPrivateAddress() }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            return request.addresses == .any ? .ok(Samples.png) : .failure(Self.refused)
        }
    }

    private static let refused = FeedError.invalidData("resolves to a private address").at(.trusting)

    @Test(
        "an image that one feed may not have is asked for again where another may",
        arguments: [["in.json", "out.json"], ["out.json", "in.json"]])
    func widerTerms(feeds: [String]) async throws {
        let client = inside()
        let (stream, events) = SyncEvents.makeStream()
        // One feed at a time, so that they come in this order.
        let report = try await fixture.sync(
            feeds, on: client, serving: try Samples.feed(1), jobs: 1, events: events)
        let asked = client.requests.filter { $0.url.text.hasSuffix(".png") }
        #expect(asked.map(\.addresses) == (feeds[0] == "in.json" ? [.any] : [.publicOnly, .any]))
        #expect(report.images.total == 1)
        #expect(report.images.downloaded == 1)
        #expect(report.images.failures.isEmpty)
        #expect(report.images.skipped == 0)
        var reconsidered: [Int] = []
        for await event in stream {
            if case .imagesReconsidered(let count, let failed) = event { reconsidered += [count, failed] }
        }
        #expect(reconsidered == (feeds[0] == "in.json" ? [] : [1, 1]))
    }

    @Test("an image that fails on the other terms, too, has failed once")
    func failsTwice() async throws {
        let client = ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/in.json") { return .ok([1]).fromPrivateAddress() }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            return request.addresses == .any ? .status(410) : .failure(Self.refused)
        }
        let report = try await fixture.sync(
            ["out.json", "in.json"], on: client, serving: try Samples.feed(2), jobs: 1)
        #expect(report.images.total == 2)
        #expect(report.images.failures.map(\.error.status) == [410, 410])
    }

    @Test("what a server answered is not asked for again because more addresses are permitted")
    func answered() async throws {
        let client = ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/in.json") { return .ok([1]).fromPrivateAddress() }
            return request.url.text.hasSuffix(".png") ? .status(404) : .ok([1])
        }
        let report = try await fixture.sync(
            ["out.json", "in.json"], on: client, serving: try Samples.feed(1), jobs: 1)
        #expect(report.images.failures.map(\.error.status) == [404])
        #expect(client.requests.count == 3)
    }

    @Test(
        "an image is had by the limits of whichever of its feeds lets it pass",
        arguments: [["small.json", "large.json"], ["large.json", "small.json"]])
    func otherWay(feeds: [String]) async throws {
        let image = Samples.png(String(repeating: "x", count: 2000))
        let client = ScriptedHTTPClient { $0.url.text.hasSuffix(".png") ? .ok(image) : .ok([1]) }
        let report = try await fixture.sync(
            feeds, on: client, serving: try Samples.feed(1), jobs: 1, limits: ["large.json": 1 << 20])
        #expect(report.images.downloaded == 1)
        #expect(report.images.failures.isEmpty)
    }

    @Test("other limits are no reason to ask again for what the server doesn't have", arguments: [404, 503])
    func otherLimits(status: Int) async throws {
        let client = ScriptedHTTPClient { $0.url.text.hasSuffix(".png") ? .status(status) : .ok([1]) }
        let report = try await fixture.sync(
            ["small.json", "large.json"], on: client, serving: try Samples.feed(1), jobs: 1,
            limits: ["large.json": 1 << 20])
        #expect(report.images.failed == 1)
        #expect(client.requests.count == 3)
    }

    @Test("feeds of other origins, whatever their secrets, are no reason to ask for an image again")
    func othersSecrets() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.text.hasSuffix(".png") ? .status(404) : .ok([1])
        }
        let identity = Identity(headers: ["X-Key: 1"])
        let feeds = ["https://a.example/feed.json", "https://b.example/feed.json"]
        let report = try await fixture.sync(feeds, on: client, serving: try Samples.feed(1), as: identity, jobs: 1)
        #expect(report.images.failed == 1)
        #expect(client.requests.count == 3)
    }

    @Test("secrets of the image's own server come first, and any address that one of the feeds may ask")
    func alternatives() throws {
        let image = try Samples.url("https://a.example/1.png")
        func terms(
            _ host: String, _ header: String, maxImageBytes: Int64? = nil, _ addresses: AddressScope = .publicOnly
        ) -> RequestTerms {
            RequestTerms(
                secrets: Secrets(origin: "https://\(host):443", headers: [header]), addresses: addresses,
                maxImageBytes: maxImageBytes)
        }
        let own = terms("a.example", "A: 1")
        #expect(
            RequestTerms.alternatives([terms("b.example", "B: 1", .any), own], for: image)
                == [RequestTerms(secrets: own.secrets, addresses: .any)])
        let others = [
            terms("b.example", "B: 1"), own, terms("a.example", "A: 2"), terms("b.example", "B: 2", maxImageBytes: 9),
        ]
        #expect(RequestTerms.alternatives(others, for: image) == [others[1], others[2], others[3]])
    }

    @Test("what failed on the same terms isn't asked for again")
    func sameTerms() async throws {
        let client = fixture.server(["0.png": .status(404)])
        let report = try await fixture.sync(["a.json", "b.json"], on: client, jobs: 1)
        #expect(client.requests.count == 5)
        #expect(report.images.failed == 1)
        #expect(report.images.downloaded == 2)
    }

    @Test("an image that its feed names with many passwords is asked for with a few of them")
    func manyPasswords() async throws {
        let images = try (0..<500).map {
            FeedImage(
                id: "\($0)", description: nil, location: nil, url: try Samples.url("https://u:\($0)@a.example/1.png"))
        }
        let client = fixture.server(["1.png": .status(404)])
        let report = try await fixture.sync(
            ["a.json"], on: client, serving: Feed(format: .essential, images: images), jobs: 1)
        #expect(client.requests.count == 1 + 8)
        #expect(report.images.total == 1)
        #expect(report.images.failed == 1)
        // In a row with those of other runs, it is one.
        let remembered = try await fixture.images.failures(of: [Samples.url("https://a.example/1.png")])
        #expect(remembered.map { $0?.count } == [1])
    }

    @Test("an image of a feed that is offline is asked for where another names it", arguments: [false, true])
    func offline(isFirst: Bool) async throws {
        try await fixture.save("off.json", daysAgo: 1)
        let client = fixture.server(["off.json": .failure(.connectivity("refused"))])
        let feeds = isFirst ? ["off.json", "on.json"] : ["on.json", "off.json"]
        let report = try await fixture.sync(feeds, on: client, jobs: 1)
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 3)
        #expect(report.images.skipped == 0)
    }

    @Test("an image that is cached is asked for again where a later feed wants that", arguments: [false, true])
    func revalidates(isFirst: Bool) async throws {
        _ = try await fixture.sync(["a.json"], on: fixture.server())
        let client = fixture.server()
        let names = isFirst ? ["again.json", "a.json"] : ["a.json", "again.json"]
        let report = try await fixture.sync(
            names, on: client, jobs: 1, own: ["again.json": ImageScope(revalidates: true)])
        #expect(client.requests.count { $0.url.text.hasSuffix(".png") } == 3)
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 3)
        #expect(report.images.cached == 0)
    }

    @Test("a dry run tells once of an image of two feeds", arguments: [false, true])
    func dryRun(again: Bool) async throws {
        let (stream, events) = SyncEvents.makeStream()
        let own = again ? ["b.json": ImageScope(revalidates: true)] : [:]
        let report = try await fixture.sync(
            ["a.json", "b.json"], on: fixture.server(), dryRun: true, jobs: 1, own: own, events: events)
        var missing = 0
        for await event in stream { if case .imageMissing = event { missing += 1 } }
        #expect(missing == 3)
        #expect(report.images.total == 3)
        #expect(report.images.cached == 0)
    }
}
