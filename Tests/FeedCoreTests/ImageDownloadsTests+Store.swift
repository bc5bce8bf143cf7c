import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// What becomes of them in the store, and of the run when it fails.
extension ImageDownloadsTests {
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
                asking: ScriptedHTTPClient { .ok(Samples.png($0.url.text)) }, store: own, jobs: 2,
                // Not the timer's own task, so that cancelling that one doesn't end it.
                sleep: { _ in await Task.detached { for await _ in isOver {} }.value })
            let (_, events) = SyncEvents.makeStream()
            let outcome = await downloads.run(urls.map { .init($0) }, events: events)
            #expect(outcome.report.downloaded == 2)
        }
        #expect(store == nil)
        end.finish()
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
}
