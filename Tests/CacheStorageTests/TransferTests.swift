import CacheStorage
import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Export and import of a cache directory")
struct TransferTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    private func bringIn(_ texts: [String], _ intake: any CacheIntake) throws(FeedError) {
        for text in texts { try intake.blobs.add(Array(text.utf8), as: digest(text), inPiecesOf: 2) }
    }

    @Test("an export reads one state while another process writes") func snapshot() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 2))
        try await cache.images.publish("one", at: .image(1))
        let reader = try await scratch.open(.read)
        let (scratch, one) = (scratch, digest("one"))
        try await reader.transfer.read(lockWait: .zero) { snapshot throws(FeedError) in
            #expect(try snapshot.feeds().map(\.url) == [.first])
            do {
                try scratch.execute("DELETE FROM feeds")
            } catch {
                Issue.record(error)
            }
            var found: [String] = []
            try snapshot.forEachImage(of: .first, at: 0...5) { image in
                found.append("\(image.position) \(image.image.url) \(image.stored?.digest.hex ?? "-")")
            }
            #expect(found == ["0 \(ResourceURL.image(0)) -", "1 \(ResourceURL.image(1)) \(one.hex)"])
            #expect(try snapshot.read(one, size: 3, from: 0, count: 3) == Array("one".utf8))
            #expect(try snapshot.read(one, size: 3, from: 1, count: 2) == Array("ne".utf8))
            #expect(try snapshot.read(one, size: 4, from: 0, count: 3) == nil)
            #expect(try snapshot.read(one, size: 3, from: 2, count: 2) == nil)
            #expect(try snapshot.read(digest("two"), size: 3, from: 0, count: 3) == nil)
        }
        #expect(try await reader.feeds.summaries().isEmpty)
    }

    @Test("an export contains everything about an image except its credentials") func images() async throws {
        let secret = FeedImage(id: "secret", url: try ResourceURL("https://me:pw@images.example/9.png"))
        let images = (0..<4).map(FeedImage.full)
        let cache = try await scratch.open()
        try await cache.feeds.save(
            SavedFeed(
                url: .first, feed: Feed(format: .rss, images: images + [secret]), savedAt: Timestamp(microseconds: 1)))
        try await cache.transfer.read(lockWait: .zero) { snapshot throws(FeedError) in
            var found: [FeedImage] = []
            try snapshot.forEachImage(of: .first, at: 1...9) { found.append($0.image) }
            #expect(found == images.dropFirst() + [FeedImage(id: "secret", url: .image(9))])
        }
    }

    @Test("no image can be deleted while a cache is exported") func lock() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 0))
        try await cache.images.publish("one", at: .image(1))
        let path = scratch.path
        try await scratch.open(.read).transfer.read(lockWait: .zero) { _ throws(FeedError) in
            let lock = open("\(path)/images", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(flock(lock, LOCK_EX | LOCK_NB) != 0)
            close(lock)
        }
        #expect(try await cache.images.removeUnreferenced(.forReal).images == 1)
    }

    @Test("merged feeds and images are found, and their files are read-only") func merging() async throws {
        let cache = try await scratch.open()
        let head = FeedHead(
            url: .first, title: "T", language: "sv", format: .essential, savedAt: Timestamp(microseconds: 9))
        try await cache.transfer.takeIn { intake throws(FeedError) in
            try bringIn(["one", "nobody's"], intake)
            #expect(try intake.bytes(of: digest("one")) == Array("one".utf8))
            try intake.merge { merge throws(FeedError) in
                #expect(try merge.find(.first) == nil)
                try merge.begin(head)
                for number in 0..<2 { try merge.append(.full(number)) }
                try merge.insert(offered("one", at: .image(0)), of: .first)
                try merge.insert(offered("one", at: .image(1)), of: .first)
            }
        }
        let saved = try #require(try await cache.feeds.retrieve(.first))
        #expect(saved.feed.images == (0..<2).map(FeedImage.full) && saved.head == head)
        let found = try await cache.images.find([.image(0), .image(1)])
        for image in found {
            let image = try #require(image)
            #expect(try await cache.images.data(of: image) == Array("one".utf8))
            #expect(try (scratch.status(image.path)?.st_mode ?? 0) & 0o777 == 0o444)
        }
        #expect(try scratch.names(in: "images/sha256") == [digest("one").hex])
        #expect(try scratch.names(in: "incoming").isEmpty)
    }

    @Test("an import that is refused or fails leaves nothing", arguments: [true, false])
    func failing(inDatabase: Bool) async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 1))
        try await cache.images.publish("old", at: .image(0))
        let before = try scratch.names(in: "images/sha256")
        if inDatabase {
            try scratch.execute(
                """
                CREATE TRIGGER fault BEFORE INSERT ON data WHEN new.url LIKE '%/2.png'
                BEGIN SELECT raise(ABORT, 'disk on fire'); END
                """)
        }
        await #expect(throws: FeedError.self) {
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try bringIn(["one", "two"], intake)
                try intake.merge { merge throws(FeedError) in
                    try merge.begin(
                        FeedHead(url: .first, title: nil, format: .essential, savedAt: Timestamp(microseconds: 9)))
                    try merge.insert(offered("one", at: .image(1)), of: .first)
                    try merge.insert(offered("two", at: .image(2)), of: .first)
                    throw .invalidData("not wanted")
                }
            }
        }
        #expect(try await cache.feeds.retrieve(.first) == .sample(images: 1))
        #expect(try await cache.images.find([.image(1), .image(2)]) == [nil, nil])
        #expect(try scratch.names(in: "images/sha256") == before)
        #expect(try scratch.names(in: "incoming").isEmpty)
    }

    @Test("a merge keeps intact data and replaces damaged data") func existing() async throws {
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 3, savedAt: 5))
        let whole = try await cache.images.publish("whole", at: .image(0))
        let damaged = try await cache.images.publish("damaged", at: .image(1))
        let gone = try await cache.images.publish("gone", at: .image(2))
        chmod(scratch.path(damaged.path), 0o644)
        try scratch.write(Array("danaged".utf8), to: damaged.path)
        unlink(scratch.path(gone.path))
        let images = (0..<3).map { FeedImage(id: "\($0)", url: .image($0)) }
        try await cache.transfer.takeIn(
            OfferedFeed(savedAt: 1, Array(zip(images, ["whole", "damaged", "gone"] as [String?]))))
        let found = try await cache.images.find([.image(0), .image(1), .image(2)])
        let archived = ["damaged", "gone"].map { InMemoryImageStore.digest(of: Samples.png($0)) }
        #expect(found.map { $0?.digest } == [whole.digest] + archived)
        for image in found { _ = try await cache.images.data(of: try #require(image)) }
    }

    @Test("a full disk ends an import and leaves nothing", .enabled(if: SmallDisk.isAvailable))
    func fullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 512)
        let path = "\(disk.path)/cache"
        let cache = try await CacheDirectory.open(path: path, access: .write(lockWait: .zero))
        try await cache.feeds.save(.sample(images: 1))
        let big = String(repeating: "x", count: 1 << 20)
        await expect(.failed) { () throws(FeedError) in
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try intake.blobs.add(Array(big.utf8), as: digest(big))
            }
        }
        #expect(try await cache.feeds.retrieve(.first) == .sample(images: 1))
        var left: [String] = []
        try Descriptor.directory(at: "\(path)/incoming").forEachName { left.append(String(cString: $0)) }
        #expect(left.isEmpty)
        await cache.close()
    }

    @Test("a cache that is opened for reading refuses an import") func readOnly() async throws {
        let cache = try await scratch.open(.read)
        await expect(.failed) { () throws(FeedError) in try await cache.transfer.takeIn { _ in } }
    }
}

extension CacheSnapshot {
    /// Returns nil if the image is damaged or missing.
    fileprivate func read(
        _ digest: Digest, size: Int64, from offset: Int64, count: Int
    ) throws(FeedError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let isThere = try bytes.withUnsafeMutableBufferPointer { buffer throws(FeedError) in
            try self.bytes.read(digest, size: size, from: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return isThere ? bytes : nil
    }
}
