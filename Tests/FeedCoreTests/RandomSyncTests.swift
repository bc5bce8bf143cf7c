import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// Tests feeds that share images and hosts, servers that fail in all ways, and runs that end at any moment: in any
/// order of events, a run ends and its numbers add up.
@Suite("Random syncs")
struct RandomSyncTests {
    private enum End: CaseIterable, Sendable { case cancelled, feedsFail, imagesFail, timeIsUp, finished }

    @Test("A random sync ends, and counts each image once", .timeLimit(.minutes(15)), arguments: 0..<300)
    func story(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = SyncFixture()
        let images = try (0..<20).map { number in
            try Samples.url("https://host\(Int.random(in: 0..<3, using: &random)).example/\(number).png")
        }
        // The second run uses the cache of the first.
        for _ in 0..<2 { try await run(&random, fixture, images) }
    }

    private func run(
        _ random: inout SeededGenerator, _ fixture: SyncFixture, _ images: [ResourceURL]
    ) async throws {
        let names = (0..<Int.random(in: 1...6, using: &random)).map { number in
            "https://host\(Int.random(in: 0..<4, using: &random)).example/\(number).json"
        }
        let named = (0..<12).map { number in
            FeedImage(id: "\(number)", url: images.randomElement(using: &random) ?? images[0])
        }
        let end = End.allCases.randomElement(using: &random) ?? .finished
        let asked = Atomic(0)
        let trigger = Int.random(in: 1...25, using: &random)
        let action = Mutex<(@Sendable () -> Void)?>(nil)
        let salt = UInt64.random(in: 0..<1000, using: &random)
        let deadline = Deadline(reason: .connectivity("time is up"))
        let server = ScriptedHTTPClient { request in
            if asked.wrappingAdd(1, ordering: .relaxed).newValue == trigger { action.withLock { $0 }?() }
            return Self.answer(to: request, salt)
        }
        let scope = ImageScope(
            revalidates: Bool.random(using: &random), retriesFailed: Bool.random(using: &random))
        let own = [names[0]: ImageScope(revalidates: !scope.revalidates, retriesFailed: !scope.retriesFailed)]
        let jobs = Int.random(in: 1...6, using: &random)
        let task = Task {
            try await fixture.sync(
                names, on: Fetcher(asking: server, deadline: deadline),
                serving: Feed(format: .essential, images: named), as: OwnCredentials(headers: ["X-Key: 1"]), jobs: jobs,
                scope: scope, own: own, limits: [names[names.count - 1]: 20])
        }
        action.withLock { action in
            switch end {
            case .cancelled: action = { task.cancel() }
            case .feedsFail: action = { fixture.feeds.fail(.insert) }
            case .imagesFail: action = { fixture.images.fail(.publish) }
            case .timeIsUp: action = { deadline.pass() }
            case .finished: break
            }
        }
        let report = try await task.value
        fixture.feeds.fail(.insert, with: nil)
        fixture.images.fail(.publish, with: nil)
        if end == .finished || end == .timeIsUp {
            #expect(report.fatal == nil)
            #expect(!report.wasCancelled)
        }
        guard report.fatal == nil, !report.wasCancelled else { return }

        let counts = report.images
        #expect(report.feeds.count == names.count)
        #expect(counts.total == counts.cached + counts.downloaded + counts.skipped + counts.failed)
        // A feed that is offline has the images of the previous run.
        let outcomes = Set(report.feeds.map(\.outcome))
        if !outcomes.contains(.offline) {
            #expect(counts.total == (outcomes == [.failed] ? 0 : Set(named.map(\.url)).count))
        }
        #expect(Set(counts.failures.map(\.url)).count == counts.failed)
    }

    /// Returns the same response to the same request, within a run.
    private static func answer(to request: HTTPRequest, _ salt: UInt64) -> ScriptedHTTPClient.Answer {
        let isFeed = request.url.text.hasSuffix(".json")
        let key = "\(salt) \(request.url) \(request.addresses) \(request.secretsToSend != nil)"
        let chance =
            key.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } >> 20
        let answer: ScriptedHTTPClient.Answer =
            switch (chance % 8, isFeed) {
            case (0, _): .status(404)
            case (1, _): .failure(.connectivity("refused"))
            case (2, false) where !request.validators.isEmpty: .status(304)
            case (3, false) where request.addresses == .publicOnly:
                .failure(FeedError.invalidData("a private address").at(.trusting))
            case (4, true): .ok([1]).fromPrivateAddress()
            case (_, true): .ok([1])
            case (_, false): .ok(Samples.png(request.url.text), validators: Validators(etag: "\"1\""))
            }
        return answer.after { for _ in 0..<(chance >> 8) % 6 { await Task.yield() } }
    }
}
