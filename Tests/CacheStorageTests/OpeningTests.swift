import CacheStorage
import FeedCore
import Glibc
import Synchronization
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Opening a cache")
struct OpeningTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    @Test("opening a cache for writing creates its directories and makes the cache directory private")
    func creates() async throws {
        _ = try await scratch.open()
        #expect(try scratch.names() == ["feedsync.sqlite", "images", "incoming", "lock"])
        #expect(try scratch.names(in: "images") == ["sha256"])
        #expect(try scratch.status(".")?.st_mode == S_IFDIR | 0o700)
    }

    @Test(
        "a database in a directory that is open to others is private, whether it is new, existing or replaced"
    )
    func databaseMode() async throws {
        await (try await scratch.open()).close()
        try scratch.write([1], to: "notes.txt")
        #expect(chmod(scratch.path, 0o755) == 0)
        await (try await scratch.open()).close()
        #expect(try scratch.status("feedsync.sqlite")?.st_mode == S_IFREG | 0o600)
        try scratch.write(Array(repeating: 7, count: 5000), to: "feedsync.sqlite")
        await (try await scratch.open(.repair(lockWait: .zero))).close()
        #expect(try scratch.exists("feedsync.sqlite.unreadable-1"))
        #expect(try scratch.status("feedsync.sqlite")?.st_mode == S_IFREG | 0o600)
    }

    @Test("an existing empty directory becomes private")
    func closes() async throws {
        try scratch.makeCacheDirectory(mode: 0o755)
        try scratch.makeDirectory("lost+found")
        _ = try await scratch.open()
        #expect(try scratch.status(".")?.st_mode == S_IFDIR | 0o700)
    }

    @Test("a directory with other entries keeps its mode, and the database in it is private")
    func leavesOpen() async throws {
        try scratch.makeCacheDirectory(mode: 0o755)
        try scratch.write([1], to: "notes.txt")
        for _ in 0..<2 { _ = try await scratch.open() }
        #expect(try scratch.status(".")?.st_mode == S_IFDIR | 0o755)
        #expect(try scratch.status("feedsync.sqlite")?.st_mode == S_IFREG | 0o600)
    }

    @Test(
        "a database in another user's open directory is private to that user",
        .enabled(if: geteuid() == 0))
    func directoriesOfOthers() async throws {
        try scratch.makeCacheDirectory(mode: 0o755)
        #expect(chown(scratch.path("."), 4711, 4711) == 0)
        await (try await scratch.open()).close()
        let status = try #require(try scratch.status("feedsync.sqlite"))
        #expect(status.st_mode == S_IFREG | 0o600)
        // Files that root creates there belong to the other user.
        #expect(status.st_uid == 4711)
    }

    @Test("files that root stores in another user's cache belong to that user", .enabled(if: geteuid() == 0))
    func imagesOfOthers() async throws {
        try scratch.makeCacheDirectory()
        #expect(chown(scratch.path("."), 4711, 4712) == 0)
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 0))
        let texts = ["small", String(repeating: "large", count: 50_000)]
        for (number, text) in texts.enumerated() { try await cache.images.publish(text, at: .image(number)) }
        try await cache.transfer.takeIn { intake throws(FeedError) in
            try intake.blobs.add(Array("merged".utf8), as: digest("merged"))
            try intake.merge { merge throws(FeedError) in
                try merge.begin(
                    FeedHead(url: .first, title: nil, format: .essential, savedAt: Timestamp(microseconds: 9)))
                try merge.insert(offered("merged", at: .image(2)), of: .first)
            }
        }
        let names = try scratch.names(in: "images/sha256")
        #expect(names.count == 3)
        for name in names {
            let status = try #require(try scratch.status("images/sha256/\(name)"))
            #expect(status.st_uid == 4711 && status.st_gid == 4712 && status.st_mode == S_IFREG | 0o444)
        }
    }

    @Test(
        "the entries of a directory named incoming stay if there is no cache yet", arguments: [false, true])
    func othersIncoming(isRepair: Bool) async throws {
        try scratch.makeCacheDirectory(mode: 0o755)
        try scratch.makeDirectory("incoming")
        try scratch.write([1], to: "incoming/upload")
        let access = isRepair ? CacheAccess.repair(lockWait: .zero) : .write(lockWait: .zero)
        let message = await expect(.cannotCreate) { () throws(FeedError) in
            _ = try await CacheDirectory.open(path: scratch.path, access: access, sleeping: neverSleeping)
        }
        #expect(message.contains("\(scratch.path)/incoming"))
        #expect(try scratch.names() == ["incoming"])
        #expect(try scratch.names(in: "incoming") == ["upload"])
        #expect(try scratch.status(".")?.st_mode == S_IFDIR | 0o755)
    }

    @Test("missing parent directories of a cache are created")
    func createsParents() async throws {
        let path = scratch.path("a//b/c/")
        _ = try await CacheDirectory.open(path: path, access: .write(lockWait: .zero))
        #expect(try scratch.names(in: "a/b/c").contains("lock"))
    }

    @Test("a missing cache is read as empty and nothing is created")
    func readsNothing() async throws {
        let cache = try await scratch.open(.read)
        #expect(try await cache.feeds.summaries() == [])
        #expect(try await cache.feeds.retrieve(.first) == nil)
        #expect(try await cache.images.find([.image(0)]) == [nil])
        #expect(try await cache.images.totals() == ImageTotals(count: 0, bytes: 0))
        #expect(try await cache.images.removeUnreferenced(.dryRun(withoutFeeds: [])) == .nothing)
        #expect(access(scratch.path, F_OK) != 0)
    }

    @Test("a directory without a database is read as empty and nothing is created")
    func readsEmptyDirectory() async throws {
        try scratch.makeCacheDirectory()
        let cache = try await scratch.open(.read)
        #expect(try await cache.feeds.summaries() == [])
        #expect(try scratch.names() == [])
    }

    @Test("reading a cache leaves every byte unchanged")
    func readingChangesNothing() async throws {
        try await scratch.fill()
        try scratch.write([1], to: "incoming/7")
        let before = try scratch.snapshot()
        do {
            let cache = try await scratch.open(.read)
            #expect(try await cache.feeds.retrieve(.first) == .sample())
            #expect(try await cache.images.find([.image(0)])[0]?.size == 7)
        }
        #expect(try scratch.snapshot() == before)
    }

    @Test("a cache that is opened for reading refuses every change")
    func readingTakesNoChanges() async throws {
        try await scratch.fill()
        let cache = try await scratch.open(.read)
        await expect(.failed) { () throws(FeedError) in try await cache.feeds.save(.sample(.second)) }
        await expect(.failed) { () throws(FeedError) in _ = try cache.images.stage() }
        await expect(.failed) { () throws(FeedError) in _ = try await cache.images.publish([]) }
        await expect(.failed) { () throws(FeedError) in try await cache.images.remember([]) }
        await expect(.failed) { () throws(FeedError) in try await cache.images.confirm([]) }
        await expect(.failed) { () throws(FeedError) in _ = try await cache.images.removeUnreferenced(.forReal) }
        await expect(.failed) { () throws(FeedError) in _ = try await cache.images.removeDamaged(.forReal) }
    }

    @Test("a reader sees what a writer that is still open has saved")
    func readsBesideAWriter() async throws {
        let writer = try await scratch.open()
        let reader = try await scratch.open(.read)
        #expect(try await reader.feeds.retrieve(.first) == nil)
        let later = try await scratch.open(.read)
        try await writer.feeds.save(.sample())
        #expect(try await later.feeds.retrieve(.first) == .sample())
    }

    @Test("the path of a cache may contain a symbolic link")
    func followsLinksOnTheWay() async throws {
        try scratch.makeCacheDirectory()
        guard symlink(scratch.path, scratch.beside("link")) == 0 else { throw SystemError("link", scratch.path) }
        let cache = try await CacheDirectory.open(path: scratch.beside("link"), access: .write(lockWait: .zero))
        try await cache.feeds.save(.sample())
        #expect(try await scratch.open(.read).feeds.retrieve(.first) == .sample())
    }

    @Test("files that a killed run left in incoming are deleted when the next writer opens the cache")
    func emptiesIncoming() async throws {
        _ = try await scratch.open()
        try scratch.write([1, 2, 3], to: "incoming/0")
        try scratch.makeDirectory("incoming/directory")
        try scratch.write([1, 2, 3], to: "incoming/directory/file")
        _ = try await scratch.open()
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a writer raises the limit for open files")
    func raisesTheLimit() async throws {
        _ = try await scratch.open()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(limit.rlim_cur >= min(limit.rlim_max, 8192))
    }

    private static let links = [
        "lock", "images", "images/sha256", "incoming", "feedsync.sqlite", "feedsync.sqlite-wal",
    ]

    @Test("a symbolic link inside a cache is refused", arguments: links)
    func refusesLinks(_ name: String) async throws {
        _ = try await scratch.open()
        try Descriptor.directory(at: scratch.path).removeAll(name)
        guard mkdir(scratch.beside("target"), 0o755) == 0,
            symlink("\(name.contains("/") ? "../" : "")../target", scratch.path(name)) == 0
        else { throw SystemError("can't be linked", name) }
        await expectRefusal(.write(lockWait: .zero), saying: "symbolic link")
        await expectRefusal(.repair(lockWait: .zero), saying: "symbolic link")
        if name != "lock" { await expectRefusal(.read, saying: "symbolic link") }
        #expect(try Descriptor.directory(at: scratch.beside("target")).status().st_nlink == 2)
        #expect(try scratch.status(name)?.isLink == true)
    }

    @Test("a file at the path of the cache is refused")
    func fileInPlace() async throws {
        let file = try Descriptor.directory(at: scratch.beside("")).open("cache", O_WRONLY | O_CREAT)
        try file.write([1])
        await expectRefusal(.write(lockWait: .zero), .cannotCreate, saying: scratch.path)
        await expectRefusal(.read, .cannotCreate, saying: scratch.path)
    }

    @Test("a path below a file and an empty path are refused as caches", arguments: ["cache/below", ""])
    func uncreatable(_ name: String) async throws {
        let file = try Descriptor.directory(at: scratch.beside("")).open("cache", O_WRONLY | O_CREAT)
        try file.write([1])
        let path = name.isEmpty ? "" : scratch.beside(name)
        await expect(.cannotCreate) { () throws(FeedError) in
            _ = try await CacheDirectory.open(path: path, access: .write(lockWait: .zero))
        }
    }

    private func expectRefusal(
        _ access: CacheAccess, _ fault: FeedError.StorageFault? = nil, saying text: String
    ) async {
        do {
            _ = try await scratch.open(access)
            Issue.record("it was opened: \(access)")
        } catch let error as FeedError {
            #expect(error.message.contains(text))
            if let fault { #expect(error.kind == .storage(fault)) }
        } catch {
            Issue.record("\(error)")
        }
    }
}
