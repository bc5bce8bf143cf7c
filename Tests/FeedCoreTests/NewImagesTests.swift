import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import FeedCore

@Suite("New images of a sync")
struct NewImagesTests {
    private let fixture = SyncFixture()
    private let told = Told()

    private final class Told: Sendable {
        private let images = Mutex<[NewImage]>([])

        /// Returns the URLs that were reported since the last call.
        func take() -> [NewImage] {
            images.withLock { images in
                defer { images = [] }
                return images.sorted { $0.image.url.text < $1.image.url.text }
            }
        }

        func add(_ some: [NewImage]) { images.withLock { $0 += some } }
    }

    @discardableResult
    private func sync(
        _ names: [String] = ["a.json"], on client: ScriptedHTTPClient? = nil, serving feed: Feed? = nil,
        scope: ImageScope = ImageScope(), dryRun: Bool = false
    ) async throws -> SyncReport {
        try await fixture.sync(
            names, on: client ?? fixture.server(), serving: feed, dryRun: dryRun, scope: scope,
            newImages: NewImages { [told] in told.add($0) })
    }

    @Test("A new image is reported with its feed data and its file")
    func content() async throws {
        let feed = Feed(format: .rss, images: (0..<3).map(FeedImage.full))
        try await sync(serving: feed)
        let told = told.take()
        #expect(told.map(\.image) == feed.images)
        #expect(told.map(\.feed) == (0..<3).map { _ in .known("https://feeds.example/a.json") })
        #expect(try await fixture.images.find(feed.images.map(\.url)) == told.map(\.stored))
    }

    @Test("A new image is reported once, with the feed that brought it")
    func shared() async throws {
        // The feed's server is out of reach, so that the feed brings no images.
        try await fixture.save("a.json", daysAgo: 1)
        let client = fixture.server(["a.json": .failure(.connectivity("refused"))])
        try await sync(["a.json", "b.json"], on: client)
        #expect(told.take().map(\.feed.text) == (0..<3).map { _ in "https://feeds.example/b.json" })
    }

    @Test("Images that failed or could not be stored are not reported as new")
    func failed() async throws {
        let urls = try Samples.feed(3).images.map(\.url)
        fixture.images.failPublishing(urls[0])
        let name = try #require(urls[1].text.split(separator: "/").last)
        try await sync(on: fixture.server([String(name): .status(404)]))
        #expect(told.take().map(\.image.url) == [urls[2]])
    }

    @Test("Images in the cache, or of a dry run, are not reported as new")
    func again() async throws {
        try await sync(dryRun: true)
        #expect(told.take().isEmpty)
        try await sync()
        #expect(told.take().count == 3)
        try await sync()
        #expect(told.take().isEmpty)
    }

    @Test("An image is reported again only if its bytes have changed")
    func changed() async throws {
        try await sync()
        let first = try #require(told.take().first)
        let name = try #require(first.image.url.text.split(separator: "/").last)
        let client = fixture.server([String(name): .ok(Samples.png("another"))])
        try await sync(on: client, scope: ImageScope(revalidates: true))
        let again = told.take()
        #expect(again.map(\.image) == [first.image])
        #expect(again.map(\.stored.digest) != [first.stored.digest])
    }

    @Test("A report that fails ends the run, and what was stored stays")
    func unheard() async throws {
        let failure = FeedError.storage(.failed, "nobody listens")
        let newImages = NewImages { _ throws(FeedError) in throw failure }
        let report = try await fixture.sync(["a.json"], on: fixture.server(), newImages: newImages)
        #expect(report.fatal == failure)
        #expect(report.images.downloaded == 3)
        #expect(try await fixture.images.find(Samples.feed(3).images.map(\.url)).allSatisfy { $0 != nil })
    }

    @Test("each feed is told of the data that its own request brought")
    func separateData() throws {
        let new = NewImages { [told] in told.add($0) }
        let feeds: [ResourceURL] = [.first, .second]
        for feed in feeds { new.want(FeedImage(id: feed.text, url: .image(0)), of: feed, cached: nil) }
        for (feed, name) in zip(feeds, ["one", "two"]) {
            let bytes = Samples.png(name)
            let digest = InMemoryImageStore.digest(of: bytes)
            try new.report(
                [[WantedImage(.image(0), on: RequestTerms(feed: feed))]],
                [
                    .success(
                        StoredImage(
                            digest: digest, size: Int64(bytes.count), type: .png, validators: Validators(),
                            fetchedAt: Timestamp(microseconds: 0), directory: "images/sha256"))
                ])
            #expect(told.take().map { [$0.feed.text, $0.stored.digest.hex] } == [[feed.text, digest.hex]])
        }
    }
}

@Suite("Images that are requested at the same time")
struct ImagesUnderWayTests {
    private let requests = ImagesUnderWay(
        RemoteImageDataLoader(client: ScriptedHTTPClient { _ in .status(404) }, maxBytes: 100), InMemoryImageStore(),
        mostPartial: 1)

    private func add(_ terms: RequestTerms) { _ = requests.add([WantedImage(.image(0), on: terms)]) }

    @Test("an image never joins a request on other terms, whatever became of the terms of other images")
    func reusedTerms() {
        add(RequestTerms(addresses: .any))
        for count in 1...50 {
            // Joins the first request, so that the run needs these terms no longer.
            add(RequestTerms(addresses: .any))
            add(RequestTerms(addresses: .publicOnly, imageLimits: ImageLimits(maxBytes: Int64(count))))
            #expect(requests.count == count + 1)
        }
    }

    private func wanted(_ etag: String?, of feed: ResourceURL) -> WantedImage {
        WantedImage(.image(0), validators: Validators(etag: etag), on: RequestTerms(feed: feed))
    }

    @Test("images whose data has different validators share a request without a condition")
    func differentValidators() {
        _ = requests.add([wanted("\"1\"", of: .first), wanted("\"2\"", of: .second)])
        #expect(requests.count == 1)
        #expect(requests.take(0).wanted.validators.isEmpty)
        #expect(requests.finish(0).feeds == [.first, .second])
    }

    @Test("a 304 confirms the images with the same validators, and the others share one further request")
    func confirmed() {
        _ = requests.add([wanted("\"1\"", of: .first)])
        _ = requests.take(0)
        _ = requests.add([wanted("\"1\"", of: .second), wanted("\"2\"", of: .image(8)), wanted(nil, of: .image(9))])
        requests.confirm(0)
        #expect(requests.count == 2)
        #expect(requests.take(1).wanted.validators.isEmpty)
        #expect(requests.finish(0).feeds == [.first, .second])
        #expect(requests.finish(1).feeds == [.image(8), .image(9)])
    }

    @Test("feeds share the failure of a request that each of them would send")
    func sharedFailure() {
        _ = requests.add([wanted(nil, of: .first), wanted(nil, of: .second)])
        #expect(requests.fail(0, .invalidData("refused", status: 403)).feeds == [.first, .second])
    }
}
