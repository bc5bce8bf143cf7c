import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// Tests how images reach the store, and how a run ends when the store fails.
extension ImageDownloadsTests {
    @Test("Images are published in batches, which shrink near the end")
    func batches() async throws {
        _ = await run(try urls(1200), on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        // The batches are 500, half of the rest, half of that, the smallest batch, and the remainder.
        #expect(store.messages.count { $0 == .publish } == 5)
    }

    @Test("An image waits at most five seconds for its batch to fill")
    func timer() async throws {
        let (published, publishing) = AsyncStream.makeStream(of: Void.self)
        let urls = try urls(2)
        let client = ScriptedHTTPClient { [store] request in
            guard request.url.text.hasSuffix("/1.png") else { return .ok(Samples.png) }
            // The response waits until the first image is stored, which takes the timer.
            return .ok(Samples.png("second")).after {
                for await _ in published where store.messages.contains(.publish) { return }
            }
        }
        let outcome = await run(urls, on: client) { duration in
            #expect(duration == .seconds(5))
            // The sleep ends at once. The held response is released after the image is published.
            Task { [store] in
                while !store.messages.contains(.publish) { await Task.yield() }
                publishing.yield()
            }
        }
        #expect(outcome.report.downloaded == 2)
        #expect(store.messages.count { $0 == .publish } == 2)
    }

    @Test("A finished download releases the store, even if its timer ends late")
    func letsGo() async throws {
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let urls = try urls(2)
        weak var store: InMemoryImageStore?
        do {
            let own = InMemoryImageStore()
            store = own
            let downloads = ImageDownloads(
                asking: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) }, store: own, jobs: 2,
                // This is a task of its own, so that cancelling the timer leaves it running.
                sleep: { _ in await Task.detached { for await _ in isOver {} }.value })
            let (_, events) = SyncEvents.makeStream()
            let outcome = await downloads.run(urls.map { .init($0) }, events: events)
            #expect(outcome.report.downloaded == 2)
        }
        #expect(store == nil)
        end.finish()
    }

    @Test("An image that cannot be made durable fails without affecting others")
    func publishFailure() async throws {
        let urls = try urls(4)
        store.failPublishing(urls[2])
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.downloaded == 3)
        #expect(outcome.report.failures.map(\.url) == [urls[2]])
    }

    @Test(
        "A store that fails ends the run instead of failing each image",
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

    @Test("An image above a limit of the system fails without affecting others") func limited() async throws {
        store.fail(.append, with: .storage(.limited, "too large"))
        let urls = try urls(4)
        let outcome = await run(urls, on: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) })
        #expect(outcome.fatal == nil)
        #expect(outcome.report.failures.map(\.url) == urls)
    }

    @Test("Images that were stored or failed before the store was full are counted")
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

    @Test("A run whose store fails does not wait for a silent server")
    func fatalWhileWaiting() async throws {
        store.fail(.publish)
        let client = ScriptedHTTPClient { request in
            guard request.url.text.hasSuffix("/0.png") else { return .ok(Samples.png(request.url.text)) }
            // Only a cancellation ends this sleep.
            return .ok(Samples.png).after {
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
            }
        }
        let outcome = await run(try urls(501), on: client, jobs: 2)
        #expect(outcome.fatal == .storage(.failed, "disk on fire"))
        #expect(outcome.report.failures.isEmpty)
    }
}
