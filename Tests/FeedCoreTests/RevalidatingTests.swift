import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Sync with --revalidate")
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

    @Test("A revalidating sync requests images with their validators, and keeps unchanged images")
    func notModified() async throws {
        let before = try await stored()
        let (report, client) = try await again(.status(304))
        let request = try #require(client.requests.first { $0.url.text.hasSuffix("/1.png") })
        #expect(request.validators == Self.validators)
        // The two images without validators are downloaded again.
        #expect(client.requests.count == 4)
        #expect(report.images.cached == 1)
        #expect(report.images.downloaded == 2)
        #expect(report.images.total == 3)
        #expect(try await stored() == before)
    }

    @Test("Equal bytes that are downloaded again are stored once")
    func equalBytes() async throws {
        let before = try await stored()
        let (report, _) = try await again(.ok(Samples.png("1.png")))
        #expect(report.images.downloaded == 3)
        #expect(try await stored().digest == before.digest)
        #expect(try await fixture.images.totals().count == 3)
    }

    @Test("A revalidating sync replaces changed images")
    func changed() async throws {
        let newer = Validators(etag: "\"2\"")
        let (report, _) = try await again(.ok(Samples.png("newer"), validators: newer))
        #expect(report.images.downloaded == 3)
        let image = try await stored()
        #expect(image.validators == newer)
        #expect(try await fixture.images.data(of: image) == Samples.png("newer"))
    }

    @Test("A 304 renews the validators that it names, and the others stay")
    func renewed() async throws {
        _ = try await again(.status(304, validators: Validators(lastModified: "Mon, 07 Nov 1994 08:49:37 GMT")))
        let image = try await stored()
        let date = "Mon, 07 Nov 1994 08:49:37 GMT"
        #expect(image.validators == Validators(etag: Self.validators.etag, lastModified: date))
        #expect(image.fetchedAt == SyncFixture.now)
    }

    @Test("A 304 for another version renews no validators")
    func otherVersion() async throws {
        let other = Validators(etag: "\"2\"", lastModified: "Mon, 07 Nov 1994 08:49:37 GMT")
        _ = try await again(.status(304, validators: other))
        #expect(try await stored().validators == Self.validators)
    }

    @Test(
        "A failed revalidation keeps the data, and counts as a failure",
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

    @Test("An image that failed permanently is skipped for a while, until a 304 confirms it")
    func leftAlone() async throws {
        _ = try await again(.status(404), hoursLater: 0)
        let (report, client) = try await again(.status(304), hoursLater: 0)
        #expect(report.images.skipped == 1)
        #expect(client.requests.count == 3)
        #expect(try await again(.status(304)).0.images.cached == 1)
        #expect(try await fixture.images.failures(of: [try Samples.image(1).url]) == [nil])
    }

    @Test("A 304 to an unconditional request is a failure")
    func unasked() async throws {
        let client = fixture.server(["2.png": .status(304)])
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(revalidates: true))
        #expect(report.images.failures.map(\.error.status) == [304])
    }

    @Test("Images of an offline feed are not revalidated")
    func offline() async throws {
        let client = fixture.server(["a.json": .failure(.connectivity("refused"))])
        let report = try await fixture.sync(["a.json"], on: client, scope: ImageScope(revalidates: true))
        #expect(report.images.cached == 3)
        #expect(client.requests.count == 1)
    }

    @Test("A dry run with --revalidate reports the images that it would request, and requests none")
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

    @Test("A cache that cannot be renewed ends the run")
    func fatal() async throws {
        fixture.images.fail(.confirm)
        #expect(try await again(.status(304)).0.fatal == .storage(.failed, "disk on fire"))
    }
}
