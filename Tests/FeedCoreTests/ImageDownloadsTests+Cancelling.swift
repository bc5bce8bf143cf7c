import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

extension ImageDownloadsTests {
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
