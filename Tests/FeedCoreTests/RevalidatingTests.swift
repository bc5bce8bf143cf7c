import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Sync that revalidates")
struct RevalidatingTests {
    private let fixture = SyncFixture()
    private static let validators = Validators(etag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")

    init() async throws {
        _ = try await fixture.sync(
            ["a.json"], on: fixture.server(["1.png": .ok(Samples.png("1.png"), validators: Self.validators)]))
    }

    private func again(
        _ answer: ScriptedHTTPClient.Answer, hoursLater hours: Int = 1
    ) async throws -> (SyncReport, ScriptedHTTPClient) {
        let client = fixture.server(["1.png": answer])
        let scope = ImageScope(revalidates: true)
        return (try await fixture.sync(["a.json"], on: client, scope: scope, hoursLater: hours), client)
    }

    private func stored() async throws -> StoredImage {
        try #require(try await fixture.images.find([try Samples.image(1).url])[0])
    }

    @Test("asks for images in the cache with their validators, and keeps those that have not changed")
    func notModified() async throws {
        let before = try await stored()
        let (report, client) = try await again(.status(304))
        let request = try #require(client.requests.first { $0.url.text.hasSuffix("/1.png") })
        #expect(request.validators == Self.validators)
        // The two that came without validators are downloaded again.
        #expect(client.requests.count == 4)
        #expect(report.images.cached == 1)
        #expect(report.images.downloaded == 2)
        #expect(report.images.total == 3)
        #expect(try await stored() == before)
    }

    @Test("equal bytes that are downloaded again are kept once")
    func equalBytes() async throws {
        let before = try await stored()
        let (report, _) = try await again(.ok(Samples.png("1.png")))
        #expect(report.images.downloaded == 3)
        #expect(try await stored().digest == before.digest)
        #expect(try await fixture.images.totals().count == 3)
    }

    @Test("replaces what has changed")
    func changed() async throws {
        let newer = Validators(etag: "\"2\"")
        let (report, _) = try await again(.ok(Samples.png("newer"), validators: newer))
        #expect(report.images.downloaded == 3)
        let image = try await stored()
        #expect(image.validators == newer)
        #expect(try await fixture.images.data(of: image) == Samples.png("newer"))
    }

    @Test("takes over validators that a 304 renews, and keeps those it doesn't name")
    func renewed() async throws {
        _ = try await again(.status(304, validators: Validators(lastModified: "Mon, 07 Nov 1994 08:49:37 GMT")))
        let image = try await stored()
        let date = "Mon, 07 Nov 1994 08:49:37 GMT"
        #expect(image.validators == Validators(etag: Self.validators.etag, lastModified: date))
        #expect(image.fetchedAt == SyncFixture.now)
    }

    @Test("takes over no validators of a 304 that is of another version")
    func otherVersion() async throws {
        let other = Validators(etag: "\"2\"", lastModified: "Mon, 07 Nov 1994 08:49:37 GMT")
        _ = try await again(.status(304, validators: other))
        #expect(try await stored().validators == Self.validators)
    }

    @Test(
        "keeps what is there when the answer is a failure, which counts as one",
        arguments: [
            ScriptedHTTPClient.Answer.status(404), .status(503), .ok(Array("<html>".utf8)), .ok([]),
            .failure(.connectivity("cut off")),
        ])
    func failed(_ answer: ScriptedHTTPClient.Answer) async throws {
        let before = try await stored()
        let (report, _) = try await again(answer)
        #expect(report.images.failed == 1)
        #expect(report.images.downloaded == 2)
        #expect(try await stored() == before)
    }

    @Test("leaves alone for a while what was gone; an answer that it hasn't changed ends that")
    func leftAlone() async throws {
        _ = try await again(.status(404), hoursLater: 0)
        let (report, client) = try await again(.status(304), hoursLater: 0)
        #expect(report.images.skipped == 1)
        #expect(client.requests.count == 3)
        #expect(try await again(.status(304)).0.images.cached == 1)
        #expect(try await fixture.images.failures(of: [try Samples.image(1).url]) == [nil])
    }

    @Test("takes a 304 that nobody asked for as a failure")
    func unasked() async throws {
        let client = fixture.server(["2.png": .status(304)])
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(revalidates: true))
        #expect(report.images.failures.map(\.error.status) == [304])
    }

    @Test("doesn't ask for images of a feed that is offline")
    func offline() async throws {
        let client = fixture.server(["a.json": .failure(.connectivity("refused"))])
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(revalidates: true))
        #expect(report.images.cached == 3)
        #expect(client.requests.count == 1)
    }

    @Test("dry, says what it would ask again for, and asks for none of it")
    func dryRun() async throws {
        let (stream, events) = SyncEvents.makeStream()
        let client = fixture.server()
        let report = try await fixture.sync(
            ["a.json"], on: client, dryRun: true, scope: ImageScope(revalidates: true), events: events)
        var named = 0
        for await case .imageToRevalidate in stream { named += 1 }
        #expect(named == 3)
        #expect(report.images.cached == 3)
        #expect(client.requests.count == 1)
    }

    @Test("a cache that can't be renewed ends the run")
    func fatal() async throws {
        fixture.images.fail(.confirm)
        #expect(try await again(.status(304)).0.fatal == .storage(.failed, "disk on fire"))
    }
}
