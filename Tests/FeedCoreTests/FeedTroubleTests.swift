import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Trouble of a feed")
struct FeedTroubleTests {
    private let fixture = SyncFixture()

    /// Returns the troubles of the saved feeds.
    private func troubles() async throws -> [FeedTrouble?] { try await fixture.feeds.summaries().map(\.trouble) }

    private func trouble(_ kind: FeedError.Kind, _ message: String, hoursLater hours: Int = 0) -> FeedTrouble {
        FeedTrouble(kind: kind, message: message, at: SyncFixture.now + .seconds(3600 * hours))
    }

    @Test("The trouble of a feed is saved, whether its copy is fresh or not, until a sync loads the feed")
    func course() async throws {
        try await fixture.save("a.json", daysAgo: 6)
        let unreachable = fixture.server(["a.json": .failure(.connectivity("refused"))])
        #expect(try await fixture.sync(["a.json"], on: unreachable).feeds[0].outcome == .offline)
        #expect(try await troubles() == [trouble(.connectivity, "refused")])
        // The copy is stale by now, which is not a trouble.
        #expect(try await fixture.sync(["a.json"], on: unreachable, hoursLater: 48).feeds[0].outcome == .failed)
        #expect(try await troubles() == [trouble(.connectivity, "refused", hoursLater: 48)])
        let gone = fixture.server(["a.json": .status(404)])
        _ = try await fixture.sync(["a.json"], on: gone, hoursLater: 49)
        #expect(try await troubles() == [trouble(.invalidData, "the server answered HTTP 404", hoursLater: 49)])
        _ = try await fixture.sync(["a.json"], on: fixture.server(), hoursLater: 50)
        #expect(try await troubles() == [nil])
    }

    @Test("The saved trouble of a feed contains no passwords")
    func passwords() async throws {
        try await fixture.save("a.json", daysAgo: 1)
        let error = FeedError.invalidData("no image at http://ann:s3cret@h/")
        _ = try await fixture.sync(["a.json"], on: fixture.server(["a.json": .failure(error)]))
        #expect(try await troubles() == [trouble(.invalidData, "no image at http://h/")])
    }

    @Test("The troubles of all feeds are saved in one change, and without a saved feed there is none")
    func several() async throws {
        let names = ["a.json", "b.json", "c.json"]
        for name in names.dropLast() { try await fixture.save(name, daysAgo: 1) }
        let answer = ScriptedHTTPClient.Answer.failure(.connectivity("refused"))
        let client = fixture.server(Dictionary(uniqueKeysWithValues: names.map { ($0, answer) }))
        let report = try await fixture.sync(names, on: client)
        #expect(report.feeds.map(\.outcome) == [.offline, .offline, .failed])
        #expect(try await troubles() == [trouble(.connectivity, "refused"), trouble(.connectivity, "refused")])
    }

    @Test("Neither a dry run nor a fault of the cache saves a trouble")
    func notKept() async throws {
        try await fixture.save("a.json", daysAgo: 1)
        let client = fixture.server(["a.json": .failure(.connectivity("refused"))])
        _ = try await fixture.sync(["a.json"], on: client, dryRun: true)
        #expect(try await troubles() == [nil])
        fixture.feeds.fail(.retrieve, with: .storage(.unreadable, "broken"))
        _ = try await fixture.sync(["a.json"], on: fixture.server())
        #expect(try await troubles() == [nil])
        #expect(!fixture.feeds.messages.contains(.note))
    }

    @Test("A run whose troubles cannot be saved has still done its work")
    func unwritable() async throws {
        try await fixture.save("a.json", daysAgo: 1)
        fixture.feeds.fail(.note)
        let client = fixture.server(["a.json": .failure(.connectivity("refused"))])
        let report = try await fixture.sync(["a.json", "b.json"], on: client)
        #expect(report.feeds.map(\.outcome) == [.offline, .updated])
        #expect(report.images.downloaded == 3)
        #expect(report.fatal == nil)
        #expect(report.noteFailure == .storage(.failed, "disk on fire"))
    }
}
