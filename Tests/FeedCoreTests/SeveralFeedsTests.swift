import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Sync of several feeds")
struct SeveralFeedsTests {
    private let fixture = SyncFixture()

    /// Makes feeds that respond after `until`.
    private func slow(
        _ answer: ScriptedHTTPClient.Answer = .ok([1]), until: AsyncStream<Void>
    ) -> ScriptedHTTPClient.Answer {
        answer.after { for await _ in until { return } }
    }

    @Test("Images of one feed are downloaded while another feed is still loading")
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

    @Test("Feeds are loaded before the images of their host, so that images cannot hold them up")
    func sameHost() async throws {
        let client = fixture.server()
        let image = try Samples.image(1, host: "feeds.example")
        let report = try await fixture.sync(
            ["a.json", "b.json", "c.json"], on: client, serving: Feed(format: .essential, images: [image]), jobs: 1)
        #expect(report.images.downloaded == 1)
        #expect(client.requests.map(\.url.text.last) == ["n", "n", "n", "g"])
    }

    /// Waits until it is cancelled.
    private static func forever() async {
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
    }

    @Test("A feed that cannot be saved ends the run, even while images of another are in flight")
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

    @Test("An image that cannot be stored ends the run, even while another feed is loading", arguments: [true, false])
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

    @Test("An image that two feeds request on different terms is requested for each, and counted once")
    func differentTerms() async throws {
        let client = ScriptedHTTPClient { request in
            guard request.url.text.hasSuffix(".png") else {
                return request.url.text.hasSuffix("/in.json") ? .ok([1]).fromPrivateAddress() : .ok([1])
            }
            return request.addresses == .any ? .ok(Samples.png) : .failure(.invalidData("private").at(.trusting))
        }
        // Feeds are loaded one at a time, so that they arrive in this order.
        let report = try await fixture.sync(
            ["out.json", "in.json"], on: client, serving: try Samples.feed(1), jobs: 1)
        #expect(client.requests.filter { $0.url.text.hasSuffix(".png") }.map(\.addresses) == [.publicOnly, .any])
        #expect(report.images.total == 1)
        #expect(report.images.failed == 1)
    }

    @Test("An image that failed on the same terms is not requested again")
    func sameTerms() async throws {
        let client = fixture.server(["0.png": .status(404)])
        let report = try await fixture.sync(["a.json", "b.json"], on: client, jobs: 1)
        #expect(client.requests.count == 5)
        #expect(report.images.failed == 1)
        #expect(report.images.downloaded == 2)
    }

    @Test("An image of an offline feed is requested if another feed contains it", arguments: [false, true])
    func offline(isFirst: Bool) async throws {
        try await fixture.save("off.json", daysAgo: 1)
        let client = fixture.server(["off.json": .failure(.connectivity("refused"))])
        let feeds = isFirst ? ["off.json", "on.json"] : ["on.json", "off.json"]
        let report = try await fixture.sync(feeds, on: client, jobs: 1)
        #expect(report.images.total == 3)
        #expect(report.images.downloaded == 3)
        #expect(report.images.skipped == 0)
    }

    @Test("A dry run reports an image of two feeds once")
    func dryRun() async throws {
        let (stream, events) = SyncEvents.makeStream()
        let report = try await fixture.sync(
            ["a.json", "b.json"], on: fixture.server(), dryRun: true, jobs: 1, events: events)
        var missing = 0
        for await event in stream { if case .imageMissing = event { missing += 1 } }
        #expect(missing == 3)
        #expect(report.images.total == 3)
        #expect(report.images.cached == 0)
    }
}
