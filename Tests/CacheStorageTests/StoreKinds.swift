import FeedCore
import SystemFiles
import TestDoubles
import TestSupport
import Testing

/// The implementations that the contracts are tested with.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
    case inMemory, onDisk

    var testDescription: String { self == .inMemory ? "in memory" : "on disk" }

    func feedStore() async throws -> FeedStoreContract {
        switch self {
        case .inMemory: FeedStoreContract(InMemoryFixture())
        case .onDisk: FeedStoreContract(try await DiskFixture())
        }
    }

    func imageStore() async throws -> ImageStoreContract {
        let fixture: any ImageStoreFixture =
            switch self {
            case .inMemory: InMemoryImageFixture()
            case .onDisk: DiskImageFixture(try await DiskFixture())
            }
        // The data of an image belongs to a saved feed.
        try await fixture.feeds.change { change throws(FeedError) in try change.insert(.sample(images: 0)) }
        return ImageStoreContract(fixture)
    }
}

private struct InMemoryFixture: FeedStoreFixture {
    private let cache = InMemoryCache()
    private let feeds: InMemoryFeedStore
    var store: any FeedStore { feeds }

    init() { feeds = InMemoryFeedStore(cache) }

    func anotherStore() -> any FeedStore { InMemoryFeedStore(cache) }
    func breakRetrieving() { feeds.fail(.retrieve) }
    func breakInserting() { feeds.fail(.insert) }
    func breakDeleting() { feeds.fail(.delete) }
}

private struct InMemoryImageFixture: ImageStoreFixture {
    private let cache = InMemoryCache()
    private let images: InMemoryImageStore
    let feeds: any FeedStore
    var store: any ImageStore { images }

    init() {
        images = InMemoryImageStore(cache)
        feeds = InMemoryFeedStore(cache)
    }

    func anotherStore() -> any ImageStore { InMemoryImageStore(cache) }
    func breakFinding() { images.fail(.find) }
    func breakPublishing() { images.fail(.publish) }
    func breakRemembering() { images.fail(.remember) }
    func damage(_ image: StoredImage, at url: ResourceURL) throws { try images.damage(url) }
}

/// A cache on disk.
///
/// Tests make it fail by changing the database through a separate connection.
private struct DiskFixture: FeedStoreFixture {
    let scratch: ScratchCache
    let cache: Cache
    var store: any FeedStore { cache.feeds }

    init() async throws {
        scratch = try ScratchCache()
        cache = try await scratch.open()
    }

    func anotherStore() async throws -> any FeedStore { try scratch.feedsOfAnotherProcess() }

    func breakRetrieving() throws { try scratch.execute("UPDATE items SET url = 'nonsense' WHERE position = 1") }

    func breakInserting() throws { try fail("INSERT ON items") }

    func breakDeleting() throws { try fail("DELETE ON feeds") }

    func fail(_ event: String) throws {
        try scratch.execute("CREATE TRIGGER fault BEFORE \(event) BEGIN SELECT raise(ABORT, 'disk on fire'); END")
    }
}

private struct DiskImageFixture: ImageStoreFixture {
    private let disk: DiskFixture
    var store: any ImageStore { disk.cache.images }
    var feeds: any FeedStore { disk.cache.feeds }

    init(_ disk: DiskFixture) { self.disk = disk }

    func anotherStore() async throws -> any ImageStore { try await disk.scratch.open(.read).images }
    func breakFinding() throws { try disk.scratch.execute("ALTER TABLE data RENAME COLUMN digest TO sum") }
    func breakRemembering() throws { try disk.fail("INSERT ON failures WHEN new.url LIKE '%/1.png'") }
    func breakPublishing() throws { try disk.fail("INSERT ON data WHEN new.url LIKE '%/1.png'") }

    func damage(_ image: StoredImage, at url: ResourceURL) throws {
        var bytes = try disk.scratch.read(image.path)
        bytes[0] ^= 1
        try disk.scratch.write(bytes, to: image.path)
    }
}
