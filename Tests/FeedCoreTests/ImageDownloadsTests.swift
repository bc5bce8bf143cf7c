import FeedCore
import Synchronization
import TestSupport
import Testing

@Suite("Image downloads", .timeLimit(.minutes(10)))
struct ImageDownloadsTests {
    private let store = InMemoryImageStore()

    private func urls(_ count: Int, host: String = "a.example") throws -> [ResourceURL] {
        try (0..<count).map { try Samples.url("http://\(host)/\($0).png") }
    }

    private func run(
        _ urls: [ResourceURL], on client: any HTTPClient, jobs: Int = 4, perHost: Int = 4,
        validators: Validators = Validators(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(3600)) }
    ) async -> ImageDownloads.Outcome {
        let downloads = ImageDownloads(
            remote: RemoteImageDataLoader(client: client, maxBytes: 1000), store: store,
            window: ImageDownloads.Window(jobs: jobs, perHost: perHost), now: { Timestamp(microseconds: 5) },
            sleep: sleep)
        let (_, events) = SyncEvents.makeStream()
        return await downloads.run(urls.map { .init($0, validators: validators) }, events: events)
    }

    @Test("stores every image and counts its bytes")
    func happy() async throws {
        let urls = try urls(20)
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.downloaded == 20)
        #expect(outcome.report.bytes == Int64(urls.map { Samples.png($0.text).count }.reduce(0, +)))
        #expect(try await store.find(urls).allSatisfy { $0 != nil })
    }

    @Test("makes many images durable at once, not one by one, and fewer of them near the end")
    func batches() async throws {
        _ = await run(try urls(1200), on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        // 500, half of what is left, half of that, the least, and the rest.
        #expect(store.messages.count { $0 == .publish } == 5)
    }

    @Test("does not keep an image waiting for a batch to fill for longer than five seconds")
    func timer() async throws {
        let (published, publishing) = AsyncStream.makeStream(of: Void.self)
        let urls = try urls(2)
        let client = ScriptedHTTPClient { [store] request in
            guard request.url.text.hasSuffix("/1.png") else { return .ok(Samples.png) }
            // Answers only once the first image is in the store, which only the timer can bring about.
            return .ok(Samples.png("second")).after {
                for await _ in published where store.messages.contains(.publish) { return }
            }
        }
        let outcome = await run(urls, on: client) { duration in
            #expect(duration == .seconds(5))
            // The sleep is over at once; a second later-than-published nudge lets the held answer go.
            Task { [store] in
                while !store.messages.contains(.publish) { await Task.yield() }
                publishing.yield()
            }
        }
        #expect(outcome.report.downloaded == 2)
        #expect(store.messages.count { $0 == .publish } == 2)
    }

    @Test("lets go of the store when it is done, though its timer be slow to end")
    func letsGo() async throws {
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let urls = try urls(2)
        weak var store: InMemoryImageStore?
        do {
            let own = InMemoryImageStore()
            store = own
            let downloads = ImageDownloads(
                remote: RemoteImageDataLoader(
                    client: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) }, maxBytes: 1000),
                store: own, window: ImageDownloads.Window(jobs: 2, perHost: 2), now: { Timestamp(microseconds: 5) },
                // Not the timer's own task, so that cancelling that one doesn't end it.
                sleep: { _ in await Task.detached { for await _ in isOver {} }.value })
            let (_, events) = SyncEvents.makeStream()
            let outcome = await downloads.run(urls.map { .init($0) }, events: events)
            #expect(outcome.report.downloaded == 2)
        }
        #expect(store == nil)
        end.finish()
    }

    @Test(
        "has as many in flight as allowed and never more, to all hosts and to one",
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

    @Test("reports each failure and has the others all the same")
    func failures() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.text.hasSuffix("/3.png") ? .status(404) : .ok(Samples.png(request.url.text))
        }
        let outcome = await run(try urls(8), on: client)
        #expect(outcome.report.downloaded == 7)
        #expect(outcome.report.failures.map(\.url.text) == ["http://a.example/3.png"])
        #expect(outcome.report.failures.first?.error.status == 404)
    }

    @Test("tells failures in the order of the images, whichever comes first")
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

    @Test("an image that can't be made durable fails alone")
    func publishFailure() async throws {
        let urls = try urls(4)
        store.failPublishing(urls[2])
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.downloaded == 3)
        #expect(outcome.report.failures.map(\.url) == [urls[2]])
    }

    @Test(
        "a store that fails ends the run instead of failing each image",
        arguments: [InMemoryImageStore.Message.stage, .append, .publish])
    func fatal(message: InMemoryImageStore.Message) async throws {
        store.fail(message)
        let client = ScriptedHTTPClient { .ok(Samples.png($0.url.text)) }
        let outcome = await run(try urls(5000), on: client, jobs: 2)
        #expect(outcome.fatal == .storage(.failed, "disk on fire"))
        #expect(outcome.report.failures.isEmpty)
        #expect(outcome.report.downloaded == 0)
        #expect(client.requests.count < 5000)
    }

    @Test("an image that is too large for a limit of the system fails alone") func limited() async throws {
        store.fail(.append, with: .storage(.limited, "too large"))
        let urls = try urls(4)
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.failures.map(\.url) == urls)
    }

    @Test("what was stored, or failed for other reasons, before the store was full is counted")
    func full() async throws {
        let urls = try urls(6)
        store.exhaust(at: urls[3])
        let client = ScriptedHTTPClient { request in
            if request.url == urls[1] { return .status(404) }
            return request.url == urls[2] ? .status(304) : .ok(Samples.png(request.url.text))
        }
        let outcome = await run(urls, on: client, validators: Validators(etag: "\"1\"", lastModified: nil))
        #expect(outcome.fatal == .storage(.failed, "full"))
        #expect(outcome.report.downloaded == 3)
        #expect(outcome.report.cached == 1)
        #expect(outcome.report.failures.map(\.url) == [urls[1]])
    }

    @Test("a store that fails doesn't leave the run waiting for a server that doesn't answer")
    func fatalWhileWaiting() async throws {
        store.fail(.publish)
        let client = ScriptedHTTPClient { request in
            guard request.url.text.hasSuffix("/0.png") else { return .ok(Samples.png(request.url.text)) }
            // Nothing but a cancellation ends this.
            return .ok(Samples.png).after {
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
            }
        }
        let outcome = await run(try urls(501), on: client, jobs: 2)
        #expect(outcome.fatal == .storage(.failed, "disk on fire"))
        #expect(outcome.report.failures.isEmpty)
    }

    @Test("cancelled, keeps what has come, fails nothing and starts nothing more")
    func cancelled() async throws {
        let urls = try urls(100)
        let client = ScriptedHTTPClient { request in
            guard request.url.text.hasSuffix("/10.png") else { return .ok(Samples.png(request.url.text)) }
            return .ok(Samples.png).after { await TaskCanceller.shared.cancel() }
        }
        let task = Task { await run(urls, on: client, jobs: 1) }
        TaskCanceller.shared.set { task.cancel() }
        let outcome = await task.value
        #expect(outcome.report.downloaded == 10)
        #expect(outcome.report.failures.isEmpty)
        #expect(outcome.fatal == nil)
        #expect(client.requests.count == 11)
        #expect(try await store.find(urls).count { $0 != nil } == 10)
    }

    @Test("cancelled while it waits for more to do, it ends")
    func cancelledIdle() async throws {
        for held in [false, true] {
            let (news, end) = AsyncStream.makeStream(of: ImageDownloads.News.self)
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let client = ScriptedHTTPClient { request in
                .ok(Samples.png(request.url.text)).after { ask.yield() }
            }
            let downloads = ImageDownloads(
                remote: RemoteImageDataLoader(client: client, maxBytes: 1000), store: store,
                window: ImageDownloads.Window(jobs: 2, perHost: 2), now: { Timestamp(microseconds: 5) })
            let task = Task {
                await downloads.run(news, holding: held ? ["http://b.example:80"] : [], events: nil)
            }
            end.yield(
                .wanted(try (urls(1, host: "a.example") + (held ? urls(3, host: "b.example") : [])).map { .init($0) }))
            for await _ in asked { break }
            task.cancel()
            let outcome = await task.value
            #expect(outcome.fatal == nil)
            #expect(outcome.report.failures.isEmpty)
            #expect(client.requests.count == 1)
            end.finish()
        }
    }

    @Test("those of a host whose feeds don't come are asked for after a while")
    func heldForLong() async throws {
        let (news, end) = AsyncStream.makeStream(of: ImageDownloads.News.self)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let client = ScriptedHTTPClient { request in
            .ok(Samples.png(request.url.text)).after { ask.yield() }
        }
        let clock = ManualClock()
        let downloads = ImageDownloads(
            remote: RemoteImageDataLoader(client: client, maxBytes: 1000), store: store,
            window: ImageDownloads.Window(jobs: 2, perHost: 2), now: { Timestamp(microseconds: 5) },
            sleep: { clock.sleep($0) })
        end.yield(.wanted(try urls(1, host: "b.example").map { .init($0) }))
        let task = Task { await downloads.run(news, holding: ["http://b.example:80"], events: nil) }
        // Nothing else lets it go.
        for await _ in asked { break }
        end.finish()
        #expect(await task.value.report.downloaded == 1)
        #expect(clock.sleeps.contains(.seconds(3)))
    }

    @Test("of nothing asks for nothing")
    func nothing() async {
        let client = ScriptedHTTPClient { _ in .ok(Samples.png) }
        let outcome = await run([], on: client)
        #expect(outcome.report == ImagesReport())
        #expect(client.requests.isEmpty)
        #expect(store.messages.isEmpty)
    }
}

/// Counts who is under way at once, and lets nobody go before the first so many are.
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

/// Cancels a task from within it, once the task is known.
private final class TaskCanceller: Sendable {
    static let shared = TaskCanceller()
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ cancel: @escaping @Sendable () -> Void) { action.withLock { $0 = cancel } }

    func cancel() async {
        while true {
            if let cancel = action.withLock({ $0 }) { return cancel() }
            await Task.yield()
        }
    }
}
