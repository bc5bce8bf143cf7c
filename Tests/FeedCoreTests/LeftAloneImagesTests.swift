import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Images that sync leaves alone")
struct LeftAloneImagesTests {
    private let fixture = SyncFixture()
    private let gone = ["1.png": ScriptedHTTPClient.Answer.status(404)]

    private func asked(_ client: ScriptedHTTPClient) -> [String] {
        client.requests.dropFirst().map { String($0.url.text.suffix(5)) }.sorted()
    }

    @Test("are those whose last answer was permanent, for an hour: skipped, and no failure")
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

    @Test("are asked for again when the pause is over, and left alone for longer after that")
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

    @Test("are asked for when all failed ones are to be tried again")
    func retried() async throws {
        _ = try await fixture.sync(["a.json"], on: fixture.server(gone))
        let client = fixture.server()
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(retriesFailed: true))
        #expect(asked(client) == ["1.png"])
        #expect(report.images.downloaded == 1)
        // Had at last, it begins anew.
        let url = try Samples.image(1).url
        #expect(try await fixture.images.failures(of: [url]) == [nil])
    }

    @Test(
        "are not those that may do next time",
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
        "A failure that others met says nothing to a feed with secrets for the image",
        arguments: [(401, true, 1), (403, true, 1), (404, true, 1), (401, false, 0), (404, false, 0)])
    func refused(status: Int, isKnown: Bool, asks: Int) async throws {
        // At the feed's own origin, to which its secrets go.
        let feed = Feed(format: .essential, images: [FeedImage(id: "1", url: try fixture.feedURL("1.png"))])
        let refusing = fixture.server(["1.png": .status(status)])
        #expect(try await fixture.sync(["a.json"], on: refusing, serving: feed).images.failed == 1)
        let client = fixture.server()
        let identity = isKnown ? OwnCredentials(headers: ["X-Key: 1"]) : OwnCredentials()
        let report = try await fixture.sync(["a.json"], on: client, serving: feed, as: identity)
        #expect(report.images.downloaded == asks)
        #expect(asked(client).count == asks)
    }

    @Test("are no files: those cost nothing to look at again")
    func files() async throws {
        let feed = Feed(
            format: .essential, images: [FeedImage(id: "1", url: try ResourceURL("file:///images/1.png"))])
        let broken = fixture.server(["1.png": .ok(Array("<html>".utf8))])
        #expect(try await fixture.sync(["a.json"], on: broken, serving: feed).images.failed == 1)
        #expect(try await fixture.sync(["a.json"], on: fixture.server(), serving: feed).images.downloaded == 1)
    }

    @Test("are named to those who watch, with the reason")
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

    @Test("are not in the plan of a dry run")
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
        "a memory that can't be read or written ends the run",
        arguments: [InMemoryImageStore.Message.failures, .remember])
    func fatal(_ message: InMemoryImageStore.Message) async throws {
        fixture.images.fail(message)
        let report = try await fixture.sync(["a.json"], on: fixture.server(gone))
        #expect(report.fatal == .storage(.failed, "disk on fire"))
    }

    @Test("many failures are remembered in few transactions")
    func batched() async throws {
        let feed = try Samples.feed(1200)
        let client = ScriptedHTTPClient { $0.url.text.hasSuffix(".json") ? .ok([1]) : .status(410) }
        #expect(try await fixture.sync(["a.json"], on: client, serving: feed).images.failed == 1200)
        #expect(fixture.images.messages.count { $0 == .remember } == 5)
        #expect(!fixture.images.messages.contains(.publish))
    }
}
