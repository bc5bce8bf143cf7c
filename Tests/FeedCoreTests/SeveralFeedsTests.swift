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

    @Test("ends with the feed that can't be saved, though the images of another are under way")
    func fatal() async throws {
        let (imageAsked, ask) = AsyncStream.makeStream(of: Void.self)
        let slow = slow(until: imageAsked)
        let client = ScriptedHTTPClient { [fixture] request in
            if request.url.text.hasSuffix("/slow.json") { return slow }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            fixture.feeds.fail(.insert)
            ask.yield()
            // Nothing but a cancellation ends this.
            return .ok(Samples.png).after {
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
            }
        }
        let report = try await fixture.sync(["slow.json", "fast.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.failed, .updated])
        #expect(report.fatal == .storage(.failed, "disk on fire"))
        #expect(report.images.failures.isEmpty)
    }

    /// Both feeds name one image. It comes from a server that refuses `.publicOnly`, as one at a private address does.
    private func inside() -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/in.json") { return .ok([1]).fromPrivateAddress() }
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            return request.addresses == .any ? .ok(Samples.png) : .status(404)
        }
    }

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

    @Test("an image that fails on the wider terms, too, has failed once")
    func failsTwice() async throws {
        let client = ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/in.json") { return .ok([1]).fromPrivateAddress() }
            return request.url.text.hasSuffix(".png") ? .status(request.addresses == .any ? 410 : 404) : .ok([1])
        }
        let report = try await fixture.sync(
            ["out.json", "in.json"], on: client, serving: try Samples.feed(2), jobs: 1)
        #expect(report.images.total == 2)
        #expect(report.images.failures.map(\.error.status) == [410, 410])
    }

    @Test("what failed on the same terms isn't asked for again")
    func sameTerms() async throws {
        let client = fixture.server(["0.png": .status(404)])
        let report = try await fixture.sync(["a.json", "b.json"], on: client, jobs: 1)
        #expect(client.requests.count == 5)
        #expect(report.images.failed == 1)
        #expect(report.images.downloaded == 2)
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
