import CacheStorage
import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite(
    "Faults of the disk", .enabled(if: SmallDisk.isAvailable, "mounting a disk takes privileges"),
    .timeLimit(.minutes(10)))
struct DiskFaultTests {
    @Test("an image that meets a full disk fails, and the batch reports the failure")
    func fullWhileStaging() async throws {
        let disk = try SmallDisk(kilobytes: 2048)
        let cache = try await open(disk)
        try await cache.feeds.save(.sample(images: 0))
        let whole = try cache.images.stage("whole", at: .image(0))
        let cut = try cache.images.stage()
        try disk.fill()
        let message = await expect(.failed) { () throws(FeedError) in
            try cut.append([UInt8](repeating: 7, count: 1 << 20))
        }
        #expect(message.contains("No space left on device"))
        disk.makeRoom()
        // The complete image is still published.
        #expect(try await cache.images.failures(publishing: [whole]) == [nil])
        #expect(cache.images.exhaustion?.message == message)
        #expect(try await cache.images.find([.image(0)])[0]?.size == 5)
    }

    @Test("a feed that exceeds the space on the disk leaves the saved feed unchanged")
    func fullWhileSaving() async throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let cache = try await open(disk)
        try await cache.feeds.save(.sample())
        await expect(.failed) { () throws(FeedError) in try await cache.feeds.save(.sample(images: 20_000)) }
        #expect(try await cache.feeds.retrieve(.first) == .sample())
        try await cache.feeds.save(.sample(images: 3))
        #expect(try await cache.feeds.retrieve(.first)?.feed.images.count == 3)
    }

    @Test("images that exceed the space on the disk are not found, and the older ones stay")
    func fullWhileIndexing() async throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let cache = try await open(disk)
        try await cache.feeds.save(.sample(images: 0))
        try await cache.images.publish("old", at: .image(0))
        let batch = try (1..<100).map { try cache.images.stage("image \($0)", at: .image($0)) }
        try disk.fill()
        #expect(try await cache.images.failures(publishing: batch).allSatisfy { $0 != nil })
        #expect(cache.images.exhaustion?.message.contains("No space left on device") == true)
        #expect(try await cache.images.find([.image(0), .image(1)]).map { $0?.size } == [3, nil])
        disk.makeRoom()
        #expect(try await cache.images.removeUnreferenced(.forReal).images == 1)
    }

    @Test("if rows exceed the space on the disk, their images are deleted and the run ends")
    func noRoomForRows() async throws {
        let disk = try SmallDisk(kilobytes: 16 << 10)
        let cache = try await open(disk)
        try await cache.feeds.save(.sample(images: 0))
        // The images are large enough to be written as they arrive.
        let batch = try (0..<60).map { number in
            try cache.images.stage("image \(number)" + String(repeating: "7", count: 150_000), at: .image(number))
        }
        try disk.fill()
        let message = await expect(.failed) { () throws(FeedError) in _ = try await cache.images.publish(batch) }
        #expect(message.contains("full") || message.contains("No space left"))
        let directory = try Descriptor.directory(at: "\(disk.path)/cache/images/sha256")
        #expect(try directory.isEmpty())
        #expect(try await cache.images.find((0..<60).map(ResourceURL.image)).allSatisfy { $0 == nil })
    }

    @Test("no cache can be created on a full disk")
    func fullWhileCreating() async throws {
        let disk = try SmallDisk(kilobytes: 16)
        try disk.fill()
        await expect(.failed) { () throws(FeedError) in _ = try await open(disk) }
    }

    @Test("a cache on a read-only disk can be read but not written to")
    func readOnly() async throws {
        let disk = try SmallDisk(kilobytes: 2048)
        do {
            let cache = try await open(disk)
            try await cache.feeds.save(.sample())
            try await cache.images.publish("picture", at: .image(0))
        }
        try disk.makeReadOnly()
        let reader = try await open(disk, .read)
        #expect(try await reader.feeds.retrieve(.first) == .sample())
        let image = try #require(try await reader.images.find([.image(0)])[0])
        #expect(try await reader.images.data(of: image) == Array("picture".utf8))
        await expect(.cannotCreate) { () throws(FeedError) in _ = try await open(disk) }
    }

    @Test("a reader of a read-only cache sees one state while another machine writes to it")
    func writtenElsewhere() async throws {
        let disk = try SmallDisk(kilobytes: 4096)
        try await save(.sample(), on: disk)
        try disk.makeReadOnly()
        let reader = try await open(disk, .read)
        try disk.makeWritable()
        try await save(.sample(.second), on: disk)
        #expect(try await reader.feeds.retrieve(.first) == .sample())
        #expect(try await reader.feeds.retrieve(.second) == nil)
    }

    @Test("a reader of a read-only cache fails while another machine writes, and if the log can't be applied")
    func notToBeRead() async throws {
        let disk = try SmallDisk(kilobytes: 4096)
        try await save(.sample(), on: disk)
        let directory = try Descriptor.directory(at: "\(disk.path)/cache")
        try directory.open("feedsync.sqlite-wal", O_WRONLY | O_CREAT).write([1])
        try disk.makeReadOnly()
        let error = await #expect(throws: FeedError.self) { try await open(disk, .read) }
        #expect(error?.message.contains("log is still to be taken over") == true, "\(error?.message ?? "")")
        try disk.makeWritable()
        unlink("\(disk.path)/cache/feedsync.sqlite-wal")
        let lock = try directory.open("lock", O_RDONLY)
        #expect(try lock.lock())
        try disk.makeReadOnly()
        await expect(.locked) { () throws(FeedError) in _ = try await open(disk, .read) }
    }

    private func save(_ feed: SavedFeed, on disk: SmallDisk) async throws {
        let cache = try await open(disk)
        try await cache.feeds.save(feed)
        await cache.close()
    }

    private func open(
        _ disk: SmallDisk, _ access: CacheAccess = .write(lockWait: .zero)
    ) async throws(FeedError) -> Cache {
        try await CacheDirectory.open(path: "\(disk.path)/cache", access: access, sleeping: neverSleeping)
    }
}
