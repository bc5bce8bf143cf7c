import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Deadline of a run", .timeLimit(.minutes(10)))
struct DeadlineTests {
    private static let late = FeedError.connectivity("not done within --max-time 5")
    private let deadline = Deadline(reason: Self.late)
    private let fixture = SyncFixture()

    /// Answers as `client` does until the deadline.
    ///
    /// A request that ends with `name` gets no response, and lets the deadline pass.
    private func server(
        stallingAt name: String, _ answers: [String: ScriptedHTTPClient.Answer] = [:]
    ) -> ScriptedHTTPClient {
        let stalled = ScriptedHTTPClient.Answer.ok(Samples.png).after { [deadline] in
            deadline.pass()
            await Self.forever()
        }
        return fixture.server(answers.merging([name: stalled]) { _, stalled in stalled })
    }

    private func sync(_ names: [String], on client: ScriptedHTTPClient) async throws -> SyncReport {
        try await fixture.sync(
            names, on: Fetcher(asking: client, rules: FetchRules(jobs: 1), deadline: deadline), jobs: 1)
    }

    private static func forever() async {
        do { try await Task.sleep(for: .seconds(3600)) } catch { return }
    }

    @Test("A deadline cancels the requests in flight, prevents later ones, and keeps what has arrived")
    func images() async throws {
        let client = server(stallingAt: "1.png")
        let report = try await sync(["a.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.updated])
        #expect(report.images.downloaded == 1)
        #expect(report.images.failures.map(\.error) == [Self.late, Self.late])
        #expect(client.requests.map { String($0.url.text.suffix(6)) } == ["a.json", "/0.png", "/1.png"])
        #expect(!report.wasCancelled)
        #expect(try await fixture.images.find([try Samples.image(0).url])[0] != nil)
        // The failures are not remembered, because the images may exist.
        #expect(try await fixture.images.failures(of: [try Samples.image(1).url]) == [nil])
    }

    /// Lets the deadline pass as soon as a task waits, which would take an hour.
    private func passingInFirstWait(_ server: ScriptedHTTPClient, jobs: Int) -> Fetcher {
        let clockwork = TimeSource(
            uptime: { Timestamp(microseconds: 0) }, random: { 0.5 },
            sleep: { [deadline] _ in
                deadline.pass()
                try await Task.sleep(for: .seconds(3600))
            })
        return Fetcher(
            asking: server, rules: FetchRules(retry: RetryPolicy(retries: 3), jobs: jobs), clockwork: clockwork,
            deadline: deadline)
    }

    @Test("A deadline ends the wait before an image's next attempt")
    func waiting() async throws {
        let server = fixture.server(["1.png": .status(503).retryAfter(100)])
        let report = try await fixture.sync(["a.json"], on: passingInFirstWait(server, jobs: 1))
        #expect(report.images.downloaded == 1)
        #expect(report.images.failures.map(\.error) == [Self.late, Self.late])
    }

    @Test("A deadline ends the wait for a host that asked for a pause")
    func held() async throws {
        let server = fixture.server([
            "0.png": .ok(Samples.png).after { await Self.forever() }, "1.png": .status(503).retryAfter(100),
        ])
        let report = try await fixture.sync(
            ["a.json"], on: passingInFirstWait(server, jobs: 2), serving: Samples.feed(200))
        #expect(report.images.failed == 200)
    }

    @Test("A feed that has not arrived by the deadline fails, unless its saved copy is fresh")
    func feeds() async throws {
        try await fixture.save("fresh.json", daysAgo: 1)
        try await fixture.save("stale.json", daysAgo: 8)
        let report = try await sync(
            ["new.json", "fresh.json", "stale.json"], on: server(stallingAt: "new.json"))
        #expect(report.feeds.map(\.outcome) == [.failed, .offline, .failed])
        #expect(report.feeds.allSatisfy { $0.error?.message.hasPrefix(Self.late.message) == true })
        #expect(report.feeds.last?.error?.message.contains("the saved feed is stale") == true)
        #expect(report.images.skipped == 3)
    }

    /// A client that ignores the deadline.
    private struct SlowDecoder: FeedDecoding {
        let deadline: Deadline

        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            deadline.pass()
            if Task.isCancelled { throw .cancelled }
            return DecodedFeed(feed: Feed(format: .essential, images: []))
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList { throw .cancelled }
    }

    @Test("A deadline ends the reading of a feed")
    func reading() async throws {
        let server = fixture.server(["feed.json": .ok([1]).after { await Task.yield() }])
        let client = Fetcher(asking: server, deadline: deadline)
        let loader = RemoteFeedLoader(client: client, decoder: SlowDecoder(deadline: deadline), maxBytes: 1000)
        await #expect(throws: Self.late) { try await loader.load(try Samples.url("https://a.example/feed.json")) }
    }

    @Test("After the deadline no request is sent")
    func passed() async throws {
        deadline.pass()
        let client = fixture.server()
        #expect(try await sync(["a.json"], on: client).feeds.map(\.error) == [Self.late])
        #expect(client.requests.isEmpty)
    }

    @Test("A run that ends before the deadline is unaffected")
    func inTime() async throws {
        let report = try await sync(["a.json"], on: fixture.server(["1.png": .status(404)]))
        #expect(report.images.downloaded == 2)
        #expect(report.images.failures.map(\.error.status) == [404])
    }

    @Test("A deadline differs from a cancellation")
    func cancelled() async throws {
        let client = server(stallingAt: "none")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await ask(client, until: deadline)
        }
        await #expect(throws: FeedError.cancelled) { try await task.value }
    }

    private func ask(_ client: any HTTPClient, until deadline: Deadline) async throws(FeedError) {
        let request = HTTPRequest(url: .image(0), maxBytes: 10)
        _ = try await Fetcher(asking: client, deadline: deadline).get(request, into: Uninterested())
    }

    @Test("A deadline passes after its time")
    func timer() async throws {
        let client = ScriptedHTTPClient { _ in .ok([1]).after { await Self.forever() } }
        let deadline = deadline
        let sleeping: @Sendable (Duration) async throws -> Void = { #expect($0 == .seconds(5)) }
        await deadline.passing(after: .seconds(5), sleeping: sleeping) {
            _ = await #expect(throws: Self.late) { try await ask(client, until: deadline) }
        }
    }

    @Test("A deadline does not pass after the end of the work")
    func timerEnds() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        let sleeping: @Sendable (Duration) async throws -> Void = { _ in
            await Self.forever()
            end.yield(Task.isCancelled)
            try Task.checkCancellation()
        }
        await deadline.passing(after: .seconds(5), sleeping: sleeping) {}
        #expect(await ended.first { _ in true } == true)
        try await ask(fixture.server(), until: deadline)
    }
}

/// Declines every body.
private final class Uninterested: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
