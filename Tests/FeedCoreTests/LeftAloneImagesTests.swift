import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Images that a sync skips")
struct LeftAloneImagesTests {
    private let fixture = SyncFixture()
    private let gone = ["1.png": ScriptedHTTPClient.Answer.status(404)]

    private func asked(_ client: ScriptedHTTPClient) -> [String] {
        client.requests.dropFirst().map { String($0.url.text.suffix(5)) }.sorted()
    }

    @Test("A sync skips an image for an hour after a permanent failure, and reports no failure")
    func leftAlone() async throws {
        let first = try await fixture.sync(["a.json"], on: fixture.server(gone))
        #expect(first.images.failed == 1)
        let client = fixture.server(gone)
        let second = try await fixture.sync(["a.json"], on: client)
        #expect(asked(client) == [])
        #expect(second.images.skipped == 1)
        #expect(second.images.cached == 2)
        #expect(second.images.failed == 0)
        #expect(second.images.total == 3)
    }

    @Test("A skipped image is requested again after its pause, and a further failure skips it for longer")
    func growing() async throws {
        for hours in [0, 1, 3, 7] {
            let client = fixture.server(gone)
            let report = try await fixture.sync(["a.json"], on: client, hoursLater: hours)
            #expect(report.images.failed == 1, "after \(hours) hours")
            #expect(asked(client).contains("1.png"))
        }
        let early = fixture.server()
        #expect(try await fixture.sync(["a.json"], on: early, hoursLater: 14).images.skipped == 1)
        #expect(asked(early) == [])
    }

    @Test("Skipped images are requested if all failed images are to be retried")
    func retried() async throws {
        _ = try await fixture.sync(["a.json"], on: fixture.server(gone))
        let client = fixture.server()
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(retriesFailed: true))
        #expect(asked(client) == ["1.png"])
        #expect(report.images.downloaded == 1)
        // The image arrives, so that the count of failures starts again.
        let url = try Samples.image(1).url
        #expect(try await fixture.images.failures(of: [url]) == [nil])
    }

    @Test(
        "An image whose failure may pass is requested by the next sync",
        arguments: [
            ScriptedHTTPClient.Answer.status(503), .failure(.connectivity("refused")),
            .failure(.invalidData("larger than 1K").dependingOnSettings()),
            .failure(.invalidData("a private address").at(.trusting)),
        ])
    func passing(_ answer: ScriptedHTTPClient.Answer) async throws {
        #expect(try await fixture.sync(["a.json"], on: fixture.server(["1.png": answer])).images.failed == 1)
        let client = fixture.server()
        #expect(try await fixture.sync(["a.json"], on: client).images.downloaded == 1)
        #expect(asked(client) == ["1.png"])
    }

    @Test(
        "An image that was refused is requested again with secrets for its server",
        arguments: [(401, true, 1), (403, true, 1), (404, true, 0), (401, false, 0), (404, false, 0)])
    func refused(status: Int, isKnown: Bool, asks: Int) async throws {
        // The image is at the feed's own origin, which gets its secrets.
        let feed = Feed(format: .essential, images: [FeedImage(id: "1", url: try fixture.feedURL("1.png"))])
        let refusing = fixture.server(["1.png": .status(status)])
        #expect(try await fixture.sync(["a.json"], on: refusing, serving: feed).images.failed == 1)
        let client = fixture.server()
        let identity = isKnown ? OwnCredentials(headers: ["X-Key: 1"]) : OwnCredentials()
        let report = try await fixture.sync(["a.json"], on: client, serving: feed, as: identity)
        #expect(report.images.downloaded == asks)
        #expect(asked(client).count == asks)
    }

    @Test("Local files are never skipped, because reading them again is cheap")
    func files() async throws {
        let feed = Feed(
            format: .essential, images: [FeedImage(id: "1", url: try ResourceURL("file:///images/1.png"))])
        let broken = fixture.server(["1.png": .ok(Array("<html>".utf8))])
        #expect(try await fixture.sync(["a.json"], on: broken, serving: feed).images.failed == 1)
        #expect(try await fixture.sync(["a.json"], on: fixture.server(), serving: feed).images.downloaded == 1)
    }

    @Test("A skipped image is reported with the reason")
    func named() async throws {
        _ = try await fixture.sync(["a.json"], on: fixture.server(gone))
        let (stream, events) = SyncEvents.makeStream()
        _ = try await fixture.sync(["a.json"], on: fixture.server(gone), events: events)
        var named: [String] = []
        for await case .imageLeftAlone(let url, let failure) in stream {
            named.append("\(url.text.suffix(5)) \(failure.error.status ?? 0) \(failure.count)")
        }
        #expect(named == ["1.png 404 1"])
    }

    @Test("The plan of a dry run omits skipped images")
    func dryRun() async throws {
        let answers = ["0.png": ScriptedHTTPClient.Answer.status(503), "1.png": .status(404)]
        _ = try await fixture.sync(["a.json"], on: fixture.server(answers))
        let (stream, events) = SyncEvents.makeStream()
        let report = try await fixture.sync(["a.json"], on: fixture.server(), dryRun: true, events: events)
        var missing: [String] = []
        for await case .imageMissing(let url) in stream { missing.append(String(url.text.suffix(5))) }
        #expect(missing == ["0.png"])
        #expect(report.images.skipped == 1)
        #expect(report.images.cached == 1)
    }

    @Test(
        "Failures that cannot be read or written end the run",
        arguments: [InMemoryImageStore.Message.failures, .remember])
    func fatal(_ message: InMemoryImageStore.Message) async throws {
        fixture.images.fail(message)
        let report = try await fixture.sync(["a.json"], on: fixture.server(gone))
        #expect(report.fatal == .storage(.failed, "disk on fire"))
    }

    @Test("Many failures are remembered in few transactions")
    func batched() async throws {
        let feed = try Samples.feed(1200)
        let client = ScriptedHTTPClient { $0.url.text.hasSuffix(".json") ? .ok([1]) : .status(410) }
        #expect(try await fixture.sync(["a.json"], on: client, serving: feed).images.failed == 1200)
        #expect(fixture.images.messages.count { $0 == .remember } == 5)
        #expect(!fixture.images.messages.contains(.publish))
    }
}
