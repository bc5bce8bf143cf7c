import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Write gallery")
struct WriteGalleryUseCaseTests {
    private let feeds: InMemoryFeedStore
    private let images: InMemoryImageStore
    private let writer = GalleryWriterSpy()
    private static let target = OutputTarget(path: "/gallery", cache: "/cache", lockWait: .seconds(7))
    private static let now = Timestamp(microseconds: 5_000_000)

    init() {
        let cache = InMemoryCache()
        feeds = InMemoryFeedStore(cache)
        images = InMemoryImageStore(cache)
    }

    private func write(_ urls: [ResourceURL] = []) async throws -> GalleryReport {
        try await FeedGallery(
            cache: Cache(
                feeds: feeds, images: images, transfer: InMemoryTransfer(), waits: InMemoryFeedWaitStore(),
                reportedFailures: InMemoryReportedFailureStore(), search: ImageSearchSpy()),
            writer: writer, maxAge: { _ in .forever }, now: { Self.now }
        ).write(urls, to: Self.target)
    }

    private func save(_ feed: SavedFeed) async throws {
        try await feeds.change { change throws(FeedError) in try change.insert(feed) }
    }

    private func publish(_ number: Int) async throws {
        let staged = try images.stage()
        try staged.append(Samples.png("\(number)"))
        _ = try await images.publish([
            ReceivedImage(
                url: .image(number), feeds: [.first], bytes: staged,
                size: Int64(Samples.png("\(number)").count), type: .png,
                validators: Validators(), fetchedAt: Self.now)
        ])
    }

    @Test("hands on every saved feed in order, what is stored of it, and why the rest is missing")
    func handsOn() async throws {
        try await save(.sample(.first, images: 3))
        try await save(.sample(.second, images: 1))
        try await publish(1)
        let gone = FeedError.invalidData("the server answered HTTP 404", status: 404)
        try await images.remember([
            ImageFailure(
                url: .image(2), error: gone, failedAt: Self.now, feeds: [.first])
        ])
        _ = try await write()
        let (written, target) = try #require(writer.written.first)
        #expect(target == Self.target)
        #expect(written.map(\.url) == [.first, .second])
        let stored = try #require(try await images.find([.image(1)])[0])
        #expect(
            written[0].images.map(\.data) == [
                .missing(reason: nil), .stored(stored), .missing(reason: "the server answered HTTP 404"),
            ])
        #expect(written[0].images.map(\.image) == SavedFeed.sample(images: 3).feed.images)
        #expect(written[0].head.title == "Sample")
    }

    @Test("holds the files before it looks at what there is") func holdsFirst() async throws {
        try await save(.sample(.first))
        _ = try await write()
        #expect(images.messages.first == .files)
    }

    @Test("a gallery of given feeds contains only these feeds, each of them once") func named() async throws {
        try await save(.sample(.first))
        try await save(.sample(.second))
        _ = try await write([.second, .second])
        #expect(writer.written.first?.0.map(\.url) == [.second])
    }

    @Test("a gallery of a feed that was never saved is an error, and nothing is written")
    func neverSaved() async throws {
        try await save(.sample(.first))
        let error = await #expect(throws: FeedError.self) { try await write([.first, .second]) }
        #expect(error?.kind == .notFound)
        #expect(error?.message.contains("\(ResourceURL.second)") == true)
        #expect(writer.written.isEmpty)
    }

    @Test("the gallery of an empty cache is written") func empty() async throws {
        _ = try await write()
        #expect(writer.written.first?.0 == [])
    }

    @Test("fails with what failed", arguments: [InMemoryImageStore.Message.files, .find, .failures])
    func failing(_ message: InMemoryImageStore.Message) async throws {
        try await save(.sample(.first))
        images.fail(message)
        await #expect(throws: FeedError.storage(.failed, "disk on fire")) { try await write() }
        #expect(writer.written.isEmpty)
    }

    @Test("a cancelled gallery writes nothing") func cancelled() async throws {
        try await save(.sample(.first))
        let outcome = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await #expect(throws: FeedError.self) { try await write() }
        }.value
        #expect(outcome?.isCancellation == true)
        #expect(writer.written.isEmpty)
    }
}

private final class GalleryWriterSpy: GalleryWriter {
    private let calls = Mutex<[([GalleryFeed], OutputTarget)]>([])
    var written: [([GalleryFeed], OutputTarget)] { calls.withLock { $0 } }

    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream?
    ) async throws(FeedError) -> GalleryReport {
        calls.withLock { $0.append((feeds, target)) }
        return GalleryReport(feeds: feeds.count, pages: 0, images: 0, missing: 0)
    }
}
