import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Limit of requests to one host", .timeLimit(.minutes(10)))
struct FetcherHostLimitTests {
    private func request(_ url: String) throws -> HTTPRequest { HTTPRequest(url: try Samples.url(url), maxBytes: 10) }

    private func get(_ limiter: Fetcher, _ url: String) async throws -> HTTPResponse {
        try await limiter.get(try request(url), into: RecordedBody())
    }

    @Test("The limit of a host is reached and never exceeded, and every request is answered", arguments: [1, 3])
    func limit(perHost: Int) async throws {
        let inFlight = Mutex<[String: Int]>([:])
        let most = Mutex(0)
        // The first requests to each host wait until the limit is reached.
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
        #expect(limiter.scheduler.waitingCount == 0)
    }

    @Test("Hosts that differ in scheme, name or port have separate limits")
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
        while limiter.scheduler.waitingCount == 0 { await Task.yield() }
        release.open()
        for task in tasks + [same] { _ = try await task.value }
        #expect(started.count == 5)
    }

    @Test("A request that was cancelled before it starts does not wait for a slot", .timeLimit(.minutes(10)))
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

    @Test("Waiting requests get slots in their order")
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
                while limiter.scheduler.waitingCount < number { await Task.yield() }
            }
        }
        release.open()
        for task in tasks { _ = try await task.value }
        #expect(order.withLock { $0 } == ["0", "1", "2", "3", "4"])
    }

    @Test("A request that is cancelled while it waits ends at once and takes no slot")
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
        while limiter.scheduler.waitingCount < 1 { await Task.yield() }
        let third = Task { try await get(limiter, "http://a.example/2") }
        while limiter.scheduler.waitingCount < 2 { await Task.yield() }
        second.cancel()
        let result = await second.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(limiter.scheduler.waitingCount == 1)
        release.open()
        _ = try await (first.value, third.value)
        #expect(started.count == 2)
        _ = try await get(limiter, "http://a.example/3")
    }

    @Test("Every slot is released, however many requests are cancelled at any moment")
    func storm() async throws {
        let client = BusyClient { _ in await Task.yield() }
        let limiter = Fetcher(asking: client, rules: FetchRules(perHost: 2))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let tasks = (0..<20).map { number in Task { try await get(limiter, "http://a.example/\(number)") } }
            for task in tasks where Bool.random(using: &random) { task.cancel() }
            for task in tasks { _ = await task.result }
        }
        #expect(limiter.scheduler.waitingCount == 0)
        for _ in 0..<3 { _ = try await get(limiter, "http://a.example/") }
    }

    @Test("A request that fails releases its slot")
    func failure() async throws {
        let failing = ScriptedHTTPClient { _ in .failure(.connectivity("refused")) }
        let limiter = Fetcher(asking: failing, rules: FetchRules(perHost: 1))
        for _ in 0..<3 {
            await #expect(throws: FeedError.self) { try await get(limiter, "http://a.example/") }
        }
    }
}

/// Answers every request with 200 after `work`.
private final class BusyClient: HTTPClient {
    let work: @Sendable (HTTPRequest) async -> Void

    init(_ work: @escaping @Sendable (HTTPRequest) async -> Void) { self.work = work }

    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        await work(request)
        return HTTPResponse(head: HTTPHead(status: 200))
    }
}

/// A gate that opens once for all waiting tasks.
///
/// Cancellation leaves it closed.
private final class Signal: Sendable {
    private let tally = Tally()

    func open() { tally.add(1) }
    func wait() async { await tally.wait(for: 1) }
}
