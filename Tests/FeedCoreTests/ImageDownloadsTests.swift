import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Image downloads", .timeLimit(.minutes(10)))
struct ImageDownloadsTests {
    let store = InMemoryImageStore()

    func urls(_ count: Int, host: String = "a.example") throws -> [ResourceURL] {
        try (0..<count).map { try Samples.url("http://\(host)/\($0).png") }
    }

    func run(
        _ urls: [ResourceURL], on client: any HTTPClient, jobs: Int = 4, perHost: Int = 4,
        validators: Validators = Validators(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(3600)) }
    ) async -> DownloadOutcome {
        let downloads = ImageDownloads(
            asking: client, store: store, jobs: jobs, perHost: perHost, now: { Timestamp(microseconds: 5) },
            sleep: sleep)
        let (_, events) = SyncEvents.makeStream()
        return await downloads.run(urls.map { .init($0, validators: validators) }, events: events)
    }

    @Test("Every image is stored and its bytes are counted")
    func happy() async throws {
        let urls = try urls(20)
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.downloaded == 20)
        #expect(outcome.report.bytes == Int64(urls.map { Samples.png($0.text).count }.reduce(0, +)))
        #expect(try await store.find(urls).allSatisfy { $0 != nil })
    }

    @Test(
        "As many requests are in flight as allowed, to all hosts and to one",
        arguments: [(3, 9), (9, 2), (1, 1)])
    func window(jobs: Int, perHost: Int) async throws {
        let allowed = min(jobs, 2 * perHost)
        let gauge = InFlightGauge(awaiting: allowed)
        let client = ScriptedHTTPClient { request in
            .ok(Samples.png(request.url.text)).after { await gauge.pass(request.url.origin) }
        }
        let all = try urls(30, host: "a.example") + urls(30, host: "b.example")
        let outcome = await run(all, on: client, jobs: jobs, perHost: perHost)
        #expect(outcome.report.downloaded == 60)
        #expect(gauge.most == allowed)
        #expect(gauge.mostToOneHost <= perHost)
    }

    @Test("Each failure is reported, and the other images are downloaded")
    func failures() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.text.hasSuffix("/3.png") ? .status(404) : .ok(Samples.png(request.url.text))
        }
        let outcome = await run(try urls(8), on: client)
        #expect(outcome.report.downloaded == 7)
        #expect(outcome.report.failures.map(\.url.text) == ["http://a.example/3.png"])
        #expect(outcome.report.failures.first?.error.status == 404)
    }

    @Test("Failures are reported in the order of the images")
    func order() async throws {
        let (others, answer) = AsyncStream.makeStream(of: Void.self)
        let urls = try urls(4)
        let client = ScriptedHTTPClient { request in
            guard request.url != urls[0] else { return .status(404).after { for await _ in others { return } } }
            if request.url == urls[3] { answer.yield() }
            return .status(404)
        }
        let outcome = await run(urls, on: client)
        #expect(outcome.report.failures.map(\.url) == urls)
    }

    @Test("A download of no images sends no request")
    func nothing() async {
        let client = ScriptedHTTPClient { _ in .ok(Samples.png) }
        let outcome = await run([], on: client)
        #expect(outcome.report == ImagesReport())
        #expect(client.requests.isEmpty)
        #expect(store.messages.isEmpty)
    }
}

/// Counts the requests in flight, and holds the first ones until their number is reached.
private final class InFlightGauge: Sendable {
    private struct State {
        var hosts: [String: Int] = [:]
        var most = 0
        var mostToOneHost = 0
    }
    private let state = Mutex(State())
    private let first: Int
    private let arrivals = Tally()

    init(awaiting first: Int) { self.first = first }

    var most: Int { state.withLock { $0.most } }
    var mostToOneHost: Int { state.withLock { $0.mostToOneHost } }

    func pass(_ host: String) async {
        state.withLock { state in
            state.hosts[host, default: 0] += 1
            state.most = max(state.most, state.hosts.values.reduce(0, +))
            state.mostToOneHost = max(state.mostToOneHost, state.hosts[host, default: 0])
        }
        arrivals.add(1)
        await arrivals.wait(for: first)
        for _ in 0..<5 { await Task.yield() }
        state.withLock { $0.hosts[host, default: 0] -= 1 }
    }
}
