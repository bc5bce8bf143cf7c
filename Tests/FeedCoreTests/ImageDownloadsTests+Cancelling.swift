import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

extension ImageDownloadsTests {
    @Test("A cancelled download keeps what has arrived, reports no failure and starts nothing more")
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

    @Test("A download that is cancelled while it waits for input ends")
    func cancelledIdle() async throws {
        let (inputs, end) = AsyncStream.makeStream(of: DownloadInput.self)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let client = ScriptedHTTPClient { request in
            .ok(Samples.png(request.url.text)).after { ask.yield() }
        }
        let downloads = ImageDownloads(asking: client, store: store, jobs: 2)
        let task = Task { await downloads.run(inputs, events: nil) }
        end.yield(.wanted(try urls(1).map { .init($0) }))
        for await _ in asked { break }
        task.cancel()
        let outcome = await task.value
        #expect(outcome.fatal == nil)
        #expect(outcome.report.failures.isEmpty)
        #expect(client.requests.count == 1)
        end.finish()
    }

    @Test("A download that is cancelled while an image pauses ends")
    func cancelledResting() async throws {
        let client = ScriptedHTTPClient { _ in .status(503) }
        let (slept, sleep) = AsyncStream.makeStream(of: Void.self)
        let fetcher = Fetcher(
            asking: client, rules: FetchRules(retry: RetryPolicy(retries: 3)),
            clockwork: TimeSource(
                uptime: { Timestamp(microseconds: 0) }, random: { 0.5 },
                sleep: { _ in
                    sleep.yield()
                    try await Task.sleep(for: .seconds(3600))
                }))
        let images = ImageDownloads(
            remote: RemoteImageDataLoader(client: fetcher, maxBytes: 1000), store: store)
        let url = try urls(1)[0]
        let task = Task { await images.run([WantedImage(url)], events: nil) }
        for await _ in slept { break }
        task.cancel()
        #expect(await task.value.report.failures.isEmpty)
        #expect(client.requests.count == 1)
    }
}

/// Cancels a task from inside, as soon as the task is known.
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
