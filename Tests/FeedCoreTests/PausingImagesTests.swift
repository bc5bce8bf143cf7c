import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// Tests images that pause before their next attempt while others use their slots: in any order, every image is
/// downloaded and every wait ends.
@Suite("Images that pause")
struct PausingImagesTests {
    private func has(
        _ images: [ResourceURL], by client: Fetcher
    ) async -> DownloadOutcome {
        let downloads = ImageDownloads(
            remote: RemoteImageDataLoader(client: client, maxBytes: 1000), store: InMemoryImageStore())
        return await downloads.run(images.map { .init($0) }, events: nil)
    }

    @Test(
        "Images that pause are downloaded in the end, as are the others", .timeLimit(.minutes(15)),
        arguments: UInt64(0)..<300)
    func everyOne(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let images = try (0..<Int.random(in: 2...14, using: &random)).map { number in
            try Samples.url("https://host\(Int.random(in: 0..<3, using: &random)).example/\(number).png")
        }
        let slow = Dictionary(
            uniqueKeysWithValues: images.map { ($0, Int.random(in: 0..<40, using: &random)) })
        let busy = Mutex(Set(images.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }))
        // After more than three in a row, the host would be given up.
        let silent = Mutex(Set(images.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.prefix(3)))
        let pauses = (0..<64).map { _ in Int.random(in: 0..<60, using: &random) }
        let time = Mutex(Timestamp(microseconds: 0))
        let server = ScriptedHTTPClient { request in
            let isBusy = busy.withLock { $0.remove(request.url) != nil }
            let isSilent = silent.withLock { $0.remove(request.url) != nil }
            let answer: ScriptedHTTPClient.Answer =
                if isSilent {
                    .failure(FeedError(.connectivity, "silence", host: request.url.host).at(.waiting))
                } else {
                    isBusy ? .status(503) : .ok(Samples.png(request.url.text))
                }
            return answer.after { for _ in 0..<(slow[request.url] ?? 0) { await Task.yield() } }
        }
        let next = Atomic(0)
        let client = Fetcher(
            asking: server,
            rules: FetchRules(
                retry: RetryPolicy(retries: 2), jobs: Int.random(in: 1...4, using: &random),
                perHost: Int.random(in: 1...2, using: &random)),
            clockwork: TimeSource(
                uptime: { time.withLock { $0 } }, random: { 0.5 },
                sleep: { span in
                    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    for _ in 0..<pauses[number % pauses.count] { await Task.yield() }
                    time.withLock { $0 = $0 + span }
                }))
        let outcome = await has(images, by: client)
        #expect(outcome.report.downloaded == images.count)
    }

    @Test("Images that pause after silence let other images of their host be requested", .timeLimit(.minutes(15)))
    func silent() async throws {
        let images = try (0..<10).map { try Samples.url("https://host.example/\($0).png") }
        let silent = images.prefix(2)
        let (othersAsked, ask) = AsyncStream.makeStream(of: Void.self)
        let server = ScriptedHTTPClient { request in
            if silent.contains(request.url) {
                return .failure(FeedError(.connectivity, "silence", host: request.url.host).at(.waiting))
            }
            ask.finish()
            return .ok(Samples.png(request.url.text))
        }
        let client = Fetcher(
            asking: server, rules: FetchRules(retry: RetryPolicy(retries: 3), jobs: 2, perHost: 2),
            clockwork: TimeSource(
                uptime: { Timestamp(microseconds: 0) }, random: { 0.5 },
                sleep: { _ in for await _ in othersAsked {} }))
        let outcome = await has(images, by: client)
        #expect(outcome.report.downloaded == 8)
        #expect(outcome.report.failures.map(\.url) == Array(silent))
    }

    @Test("Images that pause let other images take their turns", .timeLimit(.minutes(10)))
    func pausing() async throws {
        let (othersAsked, ask) = AsyncStream.makeStream(of: Void.self)
        let busy = Mutex(true)
        let time = Mutex(Timestamp(microseconds: 0))
        let server = ScriptedHTTPClient { request in
            if request.url.host == "busy.example" {
                let isFirst = busy.withLock { busy in
                    defer { busy = false }
                    return busy
                }
                if isFirst { return .status(503).retryAfter(9) }
            }
            if request.url.text.hasSuffix("/2.png") { ask.finish() }
            return .ok(Samples.png(request.url.text))
        }
        let client = Fetcher(
            asking: server, rules: FetchRules(retry: RetryPolicy(retries: 1), jobs: 1, perHost: 4),
            clockwork: TimeSource(
                uptime: { time.withLock { $0 } }, random: { 0 },
                // The pause ends after the images of the other host were requested.
                sleep: { span in
                    for await _ in othersAsked {}
                    time.withLock { $0 = $0 + span }
                }))
        let images = try [("busy", 0), ("well", 0), ("well", 1), ("well", 2)].map { host, number in
            try Samples.url("https://\(host).example/\(number).png")
        }
        let outcome = await has(images, by: client)
        #expect(outcome.report.downloaded == 4)
        #expect(server.requests.last?.url == images[0])
    }
}
