import CacheStorage
import FeedCore
import Glibc
import Synchronization
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Locks")
struct LockTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    @Test("a second writer fails because the first holds the lock")
    func secondWriter() async throws {
        let first = try await scratch.open()
        let message = await expect(.locked) { () throws(FeedError) in _ = try await open(.write(lockWait: .zero)) }
        #expect(message == "another feedsync run is using \(scratch.path); wait for it with --lock-wait")
        await expect(.locked) { () throws(FeedError) in _ = try await open(.repair(lockWait: .zero)) }
        _ = first.notices
    }

    @Test("the lock is held as long as either store exists")
    func livesWithTheStores() async throws {
        var images: (any ImageStore)? = try await scratch.open().images
        await expect(.locked) { () throws(FeedError) in _ = try await open(.write(lockWait: .zero)) }
        _ = try await images?.totals()
        images = nil
        let feeds = try await scratch.open().feeds
        await expect(.locked) { () throws(FeedError) in _ = try await open(.write(lockWait: .zero)) }
        _ = try await feeds.summaries()
    }

    @Test("a waiting writer fails if the directory or its lock was replaced in the meantime")
    func replaced() async throws {
        for moves in [true, false] {
            let scratch = try ScratchCache()
            let first = Mutex<Cache?>(try await scratch.open())
            let message = await expect(.failed) { () throws(FeedError) in
                _ = try await CacheDirectory.open(path: scratch.path, access: .write(lockWait: .seconds(9))) { _ in
                    let old = moves ? scratch.path : scratch.path("lock")
                    #expect(rename(old, scratch.beside("old")) == 0)
                    first.withLock { $0 = nil }
                }
            }
            #expect(message.contains("has taken its place"))
            await (try await scratch.open()).close()
        }
    }

    @Test("the lock is released although a child process that is being started has a copy of its descriptor")
    func copied() async throws {
        let lock = scratch.path("lock")
        var cache: Cache? = try await scratch.open()
        _ = cache?.notices
        let copies = (3..<4096).filter { self.path(ofDescriptor: $0) == lock }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        cache = nil
        _ = try await scratch.open()
    }

    private func path(ofDescriptor number: Int32) -> String? {
        guard let path = realpath("/proc/self/fd/\(number)", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    @Test("a closed cache releases its lock and its database, and refuses further work")
    func closed() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample())
        await cache.close()
        #expect(try !scratch.exists("feedsync.sqlite-wal"))
        let next = try await scratch.open()
        #expect(try await next.feeds.retrieve(.first) == .sample())
        await expect(.failed) { () throws(FeedError) in _ = try await cache.feeds.retrieve(.first) }
        await cache.close()
    }

    @Test("a waiting writer continues when the first writer is done")
    func waits() async throws {
        let holder = Holder(try await scratch.open())
        _ = try await CacheDirectory.open(path: scratch.path, access: .write(lockWait: .seconds(60))) { _ in
            holder.letGo()
        }
        #expect(holder.sleeps == 1)
    }

    @Test("a writer waits no longer than its limit")
    func waitsNoLonger() async throws {
        let holder = Holder(try await scratch.open())
        let slept = Mutex(Duration.zero)
        await expect(.locked) { () throws(FeedError) in
            _ = try await CacheDirectory.open(path: scratch.path, access: .write(lockWait: .milliseconds(330))) {
                span in
                slept.withLock { $0 += span }
            }
        }
        #expect(slept.withLock { $0 } == .milliseconds(330))
        holder.letGo()
    }

    @Test("a cancelled wait for the lock ends with the error cancelled")
    func cancelled() async throws {
        let holder = Holder(try await scratch.open())
        await #expect(throws: FeedError.cancelled) {
            try await CacheDirectory.open(path: scratch.path, access: .write(lockWait: .seconds(60))) { _ in
                throw CancellationError()
            }
        }
        holder.letGo()
    }

    @Test("no image is deleted while another process reads many images")
    func deletingIsLocked() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 0))
        let image = try await cache.images.publish("picture", at: .image(0))
        let reader = try Descriptor.directory(at: scratch.path("images"))
        #expect(flock(reader.number, LOCK_SH) == 0)
        await expect(.locked) { () throws(FeedError) in _ = try await cache.images.removeUnreferenced(.forReal) }
        #expect(try await !cache.images.keepReadersOut(waiting: false))
        await expect(.locked) { () throws(FeedError) in _ = try await cache.images.keepReadersOut(waiting: true) }
        #expect(try await cache.images.removeUnreferenced(.dryRun(withoutFeeds: [])).images == 1)
        #expect(try scratch.exists(image.path))

        #expect(flock(reader.number, LOCK_UN) == 0)
        #expect(try await cache.images.removeUnreferenced(.forReal).images == 1)
        #expect(flock(reader.number, LOCK_SH | LOCK_NB) == 0)
    }

    @Test("a removal that finds nothing to delete needs no exclusive lock")
    func nothingToDelete() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 1))
        try await cache.images.publish("picture", at: .image(0))
        let reader = try Descriptor.directory(at: scratch.path("images"))
        #expect(flock(reader.number, LOCK_SH) == 0)
        #expect(try await cache.images.removeUnreferenced(.forReal) == .nothing)
        #expect(try await cache.images.removeDamaged(.forReal) == .nothing)
        withExtendedLifetime(reader) {}
    }

    @Test("readers that were excluded stay excluded until the cache is closed")
    func keptOut() async throws {
        let cache = try await scratch.open()
        #expect(try await cache.images.keepReadersOut(waiting: false))
        let reader = try Descriptor.directory(at: scratch.path("images"))
        #expect(flock(reader.number, LOCK_SH | LOCK_NB) != 0)
        try await cache.feeds.save(.sample(images: 0))
        try await cache.images.publish("picture", at: .image(0))
        #expect(try await cache.images.removeUnreferenced(.forReal).images == 1)
        #expect(flock(reader.number, LOCK_SH | LOCK_NB) != 0)
        await cache.close()
        #expect(flock(reader.number, LOCK_SH | LOCK_NB) == 0)
    }

    @Test("a deletion waits for readers as long as a writer waits for other writers")
    func deletingWaits() async throws {
        let lock = Mutex<Int32?>(nil)
        let cache = try await CacheDirectory.open(path: scratch.path, access: .write(lockWait: .seconds(60))) { _ in
            lock.withLock { if let reader = $0 { flock(reader, LOCK_UN) } }
        }
        let reader = try Descriptor.directory(at: scratch.path("images"))
        #expect(flock(reader.number, LOCK_SH) == 0)
        lock.withLock { $0 = reader.number }
        try await cache.feeds.save(.sample(images: 0))
        try await cache.images.publish("picture", at: .image(0))
        #expect(try await cache.images.removeUnreferenced(.forReal).images == 1)
        withExtendedLifetime(reader) {}
    }

    private func open(_ access: CacheAccess) async throws(FeedError) -> Cache {
        try await CacheDirectory.open(path: scratch.path, access: access, sleeping: neverSleeping)
    }
}

/// Holds a cache open until `letGo` is called.
private final class Holder: Sendable {
    private let cache: Mutex<Cache?>
    private let count = Mutex(0)

    init(_ cache: Cache) { self.cache = Mutex(cache) }

    func letGo() {
        count.withLock { $0 += 1 }
        cache.withLock { $0 = nil }
    }

    var sleeps: Int { count.withLock { $0 } }
}
