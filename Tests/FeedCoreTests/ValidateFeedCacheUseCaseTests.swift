import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Validate feed cache")
struct ValidateFeedCacheUseCaseTests {
    private let store = InMemoryFeedStore()
    private let url: ResourceURL
    private static let savedAt = Timestamp(microseconds: 1_774_744_200_000_000)
    private static let week = Duration.seconds(7 * 86_400)

    init() throws { url = try Samples.url("https://feeds.example/feed.json") }

    private func save() async throws {
        let saved = SavedFeed(url: url, feed: try Samples.feed(), savedAt: Self.savedAt)
        try await store.change { change throws(FeedError) in try change.insert(saved) }
    }

    private func validate(
        after age: Duration, dryRun: Bool = false
    ) async throws -> ValidateFeedCache.Fault? {
        let validation = ValidateFeedCache(store: store, now: { Self.savedAt + age })
        return try await validation.validate(url, maxAge: .standard, dryRun: dryRun)
    }

    private func stale(after age: Duration) -> ValidateFeedCache.Fault {
        .stale(Staleness(savedAt: Self.savedAt, now: Self.savedAt + age))
    }

    @Test("keeps a fresh feed", arguments: [.zero, week - .seconds(1)])
    func fresh(age: Duration) async throws {
        try await save()
        #expect(try await validate(after: age) == nil)
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("finds nothing to delete in an empty cache")
    func empty() async throws {
        #expect(try await validate(after: .zero) == nil)
        #expect(store.messages == [.retrieve])
    }

    @Test("deletes a stale feed", arguments: [week, week + .seconds(1)])
    func stale(age: Duration) async throws {
        try await save()
        #expect(try await validate(after: age) == stale(after: age))
        #expect(store.messages == [.insert, .retrieve, .delete])
        #expect(try await store.retrieve(url) == nil)
    }

    @Test(
        "keeps a feed that was saved ahead of the clock, which may be what is wrong, and says so",
        arguments: [false, true])
    func ahead(dryRun: Bool) async throws {
        try await save()
        let age = Duration.seconds(-3601)
        let staleness = Staleness(savedAt: Self.savedAt, now: Self.savedAt + age)
        #expect(try await validate(after: age, dryRun: dryRun) == .ahead(staleness))
        #expect(store.messages == [.insert, .retrieve])
        #expect(try await validate(after: .seconds(-3600)) == nil)
    }

    @Test("deletes what can't be read")
    func unreadable() async throws {
        try await save()
        store.fail(.retrieve, with: .storage(.unreadable, "broken"))
        #expect(try await validate(after: .zero) == .unreadable(.storage(.unreadable, "broken")))
        store.fail(.retrieve, with: nil)
        #expect(try await store.retrieve(url) == nil)
    }

    @Test("fails where what can't be read can't be deleted either")
    func deletionError() async throws {
        let stuck = FeedError.storage(.failed, "stuck")
        store.fail(.retrieve, with: .storage(.unreadable, "broken"))
        store.fail(.delete, with: stuck)
        await #expect(throws: stuck) { try await validate(after: .zero) }
    }

    @Test("deletes nothing where reading fails for now", arguments: [FeedError.StorageFault.failed, .locked])
    func readError(_ fault: FeedError.StorageFault) async throws {
        try await save()
        let failure = FeedError.storage(fault, "disk I/O error")
        store.fail(.retrieve, with: failure)
        await #expect(throws: failure) { try await validate(after: Self.week) }
        store.fail(.retrieve, with: nil)
        #expect(try await store.retrieve(url) != nil)
    }

    @Test("fails where a stale feed can't be deleted, and it stays")
    func staleDeletionError() async throws {
        try await save()
        store.fail(.delete)
        await #expect(throws: FeedError.self) { try await validate(after: Self.week) }
        #expect(try await store.retrieve(url) != nil)
    }

    @Test("a dry run finds the same feeds and deletes none of them")
    func dryRun() async throws {
        try await save()
        #expect(try await validate(after: Self.week, dryRun: true) == stale(after: Self.week))
        #expect(try await store.retrieve(url) != nil)
    }
}
