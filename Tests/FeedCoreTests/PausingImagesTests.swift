import FeedCore
import Synchronization
import TestSupport
import Testing

/// Images that wait for their next try while others take their places: in whatever order they come back, every image is
/// had, and nobody waits for a turn that nobody gives.
@Suite("Images that pause")
struct PausingImagesTests {
    @Test("are had in the end, and so are the others", .timeLimit(.minutes(5)), arguments: UInt64(0)..<300)
    func everyOne(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let images = try (0..<Int.random(in: 2...14, using: &random)).map { number in
            try Samples.url("https://host\(Int.random(in: 0..<3, using: &random)).example/\(number).png")
        }
        let slow = Dictionary(
            uniqueKeysWithValues: images.map { ($0, Int.random(in: 0..<40, using: &random)) })
        let busy = Mutex(Set(images.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }))
        let pauses = (0..<64).map { _ in Int.random(in: 0..<60, using: &random) }
        let time = Mutex(Timestamp(microseconds: 0))
        let server = ScriptedHTTPClient { request in
            let isBusy = busy.withLock { $0.remove(request.url) != nil }
            let answer: ScriptedHTTPClient.Answer = isBusy ? .status(503) : .ok(Samples.png(request.url.text))
            return answer.after { for _ in 0..<(slow[request.url] ?? 0) { await Task.yield() } }
        }
        let next = Atomic(0)
        let client = RetryingClient(
            server, policy: RetryPolicy(retries: 2),
            clockwork: RetryingClient.Clockwork(
                uptime: { time.withLock { $0 } }, now: { Timestamp(microseconds: 0) }, random: { 0.5 },
                sleep: { span in
                    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    for _ in 0..<pauses[number % pauses.count] { await Task.yield() }
                    time.withLock { $0 = $0 + span }
                }))
        let window = ImageDownloads.Window(
            jobs: Int.random(in: 1...4, using: &random), perHost: Int.random(in: 1...2, using: &random))
        let downloads = ImageDownloads(
            remote: RemoteImageDataLoader(client: client, maxBytes: 1000), store: InMemoryImageStore(), window: window,
            now: { Timestamp(microseconds: 0) })
        let outcome = await downloads.run(images.map { .init($0) }, events: nil)
        #expect(outcome.report.downloaded == images.count)
    }
}
