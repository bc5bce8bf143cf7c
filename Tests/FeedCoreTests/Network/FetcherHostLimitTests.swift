import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("The limit of requests to one host", .timeLimit(.minutes(10)))
struct FetcherHostLimitTests {
    private func request(_ url: String) throws -> HTTPRequest { HTTPRequest(url: try Samples.url(url), maxBytes: 10) }

    private func get(_ limiter: Fetcher, _ url: String) async throws -> HTTPResponse {
        try await limiter.get(try request(url), into: RecordedBody())
    }

    @Test("is reached and never exceeded, and everybody gets through", arguments: [1, 3])
    func limit(perHost: Int) async throws {
        let inFlight = Mutex<[String: Int]>([:])
        let most = Mutex(0)
        // Of each host the first to come stay until there are as many as may be.
        let arrivals = ["a", "b"].map { (host: "\($0).example", tally: Tally()) }
        let client = BusyClient { request in
            let count = inFlight.withLock { hosts in
                hosts[request.url.origin, default: 0] += 1
                return hosts[request.url.origin, default: 0]
            }
            most.withLock { $0 = max($0, count) }
            for (host, tally) in arrivals where host == request.url.host {
                tally.add(1)
                await tally.wait(for: perHost)
            }
            for _ in 0..<5 { await Task.yield() }
            inFlight.withLock { $0[request.url.origin, default: 0] -= 1 }
        }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: perHost))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let host = number % 2 == 0 ? "a" : "b"
                group.addTask { _ = try await get(limiter, "http://\(host).example/\(number)") }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == perHost)
        #expect(limiter.traffic.waitingCount == 0)
    }

    @Test("goes by scheme, name and port")
    func origins() async throws {
        let started = Tally()
        let release = Signal()
        let client = BusyClient { _ in
            started.add(1)
            await release.wait()
        }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 1))
        let urls = ["http://a.example/", "https://a.example/", "http://a.example:81/", "http://b.example/"]
        let tasks = urls.map { url in Task { try await get(limiter, url) } }
        await started.wait(for: urls.count)
        let same = Task { try await get(limiter, "HTTP://A.example:80/x") }
        while limiter.traffic.waitingCount == 0 { await Task.yield() }
        release.open()
        for task in tasks + [same] { _ = try await task.value }
        #expect(started.count == 5)
    }

    @Test("doesn't let one wait that was cancelled before", .timeLimit(.minutes(10)))
    func cancelledBefore() async throws {
        let (started, release) = (Tally(), Signal())
        let client = BusyClient { _ in
            started.add(1)
            await release.wait()
        }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 1))
        let first = Task { try await get(limiter, "http://a.example/1") }
        await started.wait(for: 1)
        let second = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await get(limiter, "http://a.example/2")
        }
        await #expect(throws: FeedError.cancelled) { _ = try await second.value }
        release.open()
        _ = try await first.value
        #expect(started.count == 1)
    }

    @Test("lets those who wait in by their order")
    func order() async throws {
        let order = Mutex<[String]>([])
        let release = Signal()
        let client = BusyClient { request in
            order.withLock { $0.append(String(request.url.text.suffix(1))) }
            await release.wait()
        }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 1))
        var tasks: [Task<HTTPResponse, any Error>] = []
        for number in 0..<5 {
            tasks.append(Task { try await get(limiter, "http://a.example/\(number)") })
            if number == 0 {
                while order.withLock({ $0.isEmpty }) { await Task.yield() }
            } else {
                while limiter.traffic.waitingCount < number { await Task.yield() }
            }
        }
        release.open()
        for task in tasks { _ = try await task.value }
        #expect(order.withLock { $0 } == ["0", "1", "2", "3", "4"])
    }

    @Test("who is cancelled while waiting goes at once, and takes no place along")
    func cancelled() async throws {
        let started = Tally()
        let release = Signal()
        let client = BusyClient { _ in
            started.add(1)
            await release.wait()
        }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 1))
        let first = Task { try await get(limiter, "http://a.example/0") }
        await started.wait(for: 1)
        let second = Task { try await get(limiter, "http://a.example/1") }
        while limiter.traffic.waitingCount < 1 { await Task.yield() }
        let third = Task { try await get(limiter, "http://a.example/2") }
        while limiter.traffic.waitingCount < 2 { await Task.yield() }
        second.cancel()
        let result = await second.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(limiter.traffic.waitingCount == 1)
        release.open()
        _ = try await (first.value, third.value)
        #expect(started.count == 2)
        _ = try await get(limiter, "http://a.example/3")
    }

    @Test("no place is lost, however many are cancelled at whatever moment")
    func storm() async throws {
        let client = BusyClient { _ in await Task.yield() }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 2))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let tasks = (0..<20).map { number in Task { try await get(limiter, "http://a.example/\(number)") } }
            for task in tasks where Bool.random(using: &random) { task.cancel() }
            for task in tasks { _ = await task.result }
        }
        #expect(limiter.traffic.waitingCount == 0)
        for _ in 0..<3 { _ = try await get(limiter, "http://a.example/") }
    }

    @Test("a request that fails gives its place back")
    func failure() async throws {
        let failing = ScriptedHTTPClient { _ in .failure(.connectivity("refused")) }
        let limiter = Fetcher(asking: failing, rules: FetchRules(perHost: 1))
        for _ in 0..<3 {
            await #expect(throws: FeedError.self) { try await get(limiter, "http://a.example/") }
        }
    }
}

/// Answers everything with 200 once `work` is done.
private final class BusyClient: HTTPClient {
    let work: @Sendable (HTTPRequest) async -> Void

    init(_ work: @escaping @Sendable (HTTPRequest) async -> Void) { self.work = work }

    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        await work(request)
        return HTTPResponse(head: HTTPHead(status: 200))
    }
}

/// Opened once for everybody; cancellation doesn't open it.
private final class Signal: Sendable {
    private let tally = Tally()

    func open() { tally.add(1) }
    func wait() async { await tally.wait(for: 1) }
}
