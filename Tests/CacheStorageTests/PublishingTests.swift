import CacheStorage
import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Publishing images")
struct PublishingTests {
    private let scratch: ScratchCache
    private let cache: Cache
    private var images: any ImageStore { cache.images }

    /// The file of `abc`, by `printf abc | sha256sum`.
    private static let abc = "images/sha256/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    init() async throws {
        scratch = try ScratchCache()
        cache = try await scratch.open()
        try await cache.feeds.save(.sample(images: 0))
    }

    @Test("an image file is named by its SHA-256 and is read-only")
    func nameAndMode() async throws {
        let image = try await images.publish("abc", at: .image(0))
        #expect(image.path == Self.abc)
        #expect(try scratch.read(Self.abc) == Array("abc".utf8))
        #expect(try scratch.status(Self.abc)?.st_mode == S_IFREG | 0o444)
        #expect(try scratch.status(Self.abc)?.st_nlink == 1)
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a failure to write is a failure of the whole store", arguments: [3, 200 << 10])
    func nowhereToWrite(size: Int) async throws {
        #expect(rmdir(scratch.path("incoming")) == 0)
        do throws(FeedError) {
            let image = try images.stage(String(repeating: "a", count: size), at: .image(0))
            images.complete(image.bytes)
            #expect(try await images.failures(publishing: [image]) != [nil])
        } catch {
            #expect(error.kind == .storage(.failed))
        }
        #expect(images.exhaustion?.kind == .storage(.failed))
    }

    /// The text of an image that is too large for the buffer.
    private static let large = [UInt8](repeating: 7, count: 200 << 10)

    @Test("a small image is buffered in memory until it is complete, and a large one is written as it arrives")
    func heldInMemory() throws {
        let staged = try images.stage()
        try staged.append(Array(Self.large.prefix(100 << 10)))
        #expect(try scratch.names(in: "incoming") == [])
        try staged.append(Array(Self.large.prefix(100 << 10)))
        let name = try #require(try scratch.names(in: "incoming").first)
        #expect(try scratch.read("incoming/\(name)") == Self.large)
    }

    @Test("a complete image is written at once and can be published later")
    func completeImages() async throws {
        var received: [ReceivedImage] = []
        for number in 0..<200 {
            let image = try images.stage("image \(number)", at: .image(number))
            images.complete(image.bytes)
            received.append(image)
            #expect(try scratch.names(in: "incoming").count == received.count)
        }
        #expect(try await images.failures(publishing: received) == Array(repeating: nil, count: 200))
        for (number, stored) in try await images.find(received.map(\.url)).enumerated() {
            #expect(try await images.data(of: try #require(stored)) == Array("image \(number)".utf8))
        }
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a discarded image leaves no file and leaves the images of other batches unchanged")
    func completeAndDiscarded() async throws {
        let images = try (0..<3).map { try self.images.stage("image \($0)", at: .image($0)) }
        for image in images { self.images.complete(image.bytes) }
        images[0].bytes.discard()
        #expect(try await self.images.failures(publishing: [images[1]]) == [nil])
        #expect(try await self.images.failures(publishing: [images[2]]) == [nil])
        #expect(try await self.images.find(images.map(\.url)).map { $0?.size } == [nil, 7, 7])
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("the image file is the same for every size of chunks", arguments: [1000, 64 << 10, 150 << 10, 200 << 10])
    func pieces(_ length: Int) async throws {
        let staged = try images.stage()
        var rest = Self.large[...]
        while !rest.isEmpty {
            try staged.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        let image = ReceivedImage(
            url: .image(0), feeds: [.first], bytes: staged, size: Int64(Self.large.count),
            type: .png, validators: Validators(),
            fetchedAt: Timestamp(microseconds: 1))
        #expect(try await images.failures(publishing: [image]) == [nil])
        let stored = try #require(try await images.find([.image(0)])[0])
        #expect(try await images.data(of: stored) == Self.large)
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a staged image that is discarded or released leaves no file")
    func leavesNothing() throws {
        let kept = try images.stage()
        try kept.append(Self.large)
        do {
            let dropped = try images.stage()
            try dropped.append(Self.large)
            #expect(try scratch.names(in: "incoming").count == 2)
        }
        #expect(try scratch.names(in: "incoming").count == 1)
        kept.discard()
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a discarded staged image refuses further bytes")
    func takesNothingMore() async throws {
        let staged = try images.stage()
        staged.discard()
        await expect(.failed) { () throws(FeedError) in try staged.append([1]) }
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("an intact file with the name of a published image is kept")
    func intactIsKept() async throws {
        try await images.publish("abc", at: .image(0))
        let before = try scratch.status(Self.abc)?.st_ino
        try await images.publish("abc", at: .image(1))
        #expect(try scratch.status(Self.abc)?.st_ino == before)
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("a file without a row, as after a crash, is reused and made read-only")
    func orphanIsTakenOver() async throws {
        try scratch.write(Array("abc".utf8), to: Self.abc)
        let before = try scratch.status(Self.abc)?.st_ino
        try await images.publish("abc", at: .image(0))
        #expect(try scratch.status(Self.abc)?.st_ino == before)
        #expect(try scratch.status(Self.abc)?.st_mode == S_IFREG | 0o444)
    }

    @Test(
        "any other entry with the name of a published image is replaced",
        arguments: ["abd", "ab", "abcd", "", "directory", "link", "pipe"])
    func elseIsReplaced(_ content: String) async throws {
        try scratch.write(Array("target".utf8), to: "target")
        switch content {
        case "directory":
            try scratch.makeDirectory(Self.abc)
            try scratch.write([1], to: Self.abc + "/inner")
        case "link": symlink("../../target", scratch.path(Self.abc))
        case "pipe": mkfifo(scratch.path(Self.abc), 0o600)
        default: try scratch.write(Array(content.utf8), to: Self.abc)
        }
        let image = try await images.publish("abc", at: .image(0))
        #expect(try scratch.status(Self.abc)?.isFile == true)
        #expect(try await images.data(of: image) == Array("abc".utf8))
        #expect(try scratch.read("target") == Array("target".utf8))
    }

    @Test("a missing staged file fails its image without the others of its batch")
    func stagedFileIsGone() async throws {
        let lost = try images.stage(String(repeating: "lost", count: 50_000), at: .image(0))
        let name = try #require(try scratch.names(in: "incoming").first)
        unlink(scratch.path("incoming/\(name)"))
        let failures = try await images.failures(publishing: [lost, try images.stage("good", at: .image(1))])
        #expect(failures.map { $0 == nil } == [false, true])
        #expect(try await images.find([.image(0), .image(1)]).map { $0?.size } == [nil, 4])
    }

    @Test("an image that was staged in another cache fails without the others of its batch")
    func stagedElsewhere() async throws {
        let other = try ScratchCache()
        let foreign = try await other.open().images.stage("foreign", at: .image(0))
        let failures = try await images.failures(publishing: [foreign, try images.stage("good", at: .image(1))])
        #expect(failures.map { $0 == nil } == [false, true])
        #expect(try other.names(in: "incoming") == [])
    }

    @Test("one staged image can be published under two URLs in one batch")
    func stagedOnceForTwo() async throws {
        let first = try images.stage("abc", at: .image(0))
        let second = ReceivedImage(
            url: .image(1), feeds: [.first], bytes: first.bytes, size: 3, type: .png,
            validators: Validators(),
            fetchedAt: Timestamp(microseconds: 1))
        #expect(try await images.failures(publishing: [first, second]) == [nil, nil])
        #expect(try await images.find([.image(0), .image(1)]).map { $0?.path } == [Self.abc, Self.abc])
    }

    @Test("names that a killed run left in incoming are skipped")
    func namesArePassedBy() async throws {
        for number in 0..<3 { try scratch.write([0], to: "incoming/\(number)") }
        try await images.publish("abc", at: .image(0))
        #expect(try scratch.names(in: "incoming") == ["0", "1", "2"])
    }

    @Test("files whose rows can't be committed are deleted and can be published again")
    func rowsFail() async throws {
        try scratch.execute("CREATE TRIGGER fault BEFORE INSERT ON data BEGIN SELECT raise(ABORT, 'fault'); END")
        let batch = [try images.stage("abc", at: .image(0))]
        await expect(.failed) { () throws(FeedError) in _ = try await images.failures(publishing: batch) }
        #expect(try !scratch.exists(Self.abc))
        #expect(try await images.find([.image(0)]) == [nil])
        try scratch.execute("DROP TRIGGER fault")
        try await images.publish("abc", at: .image(0))
        #expect(try await images.find([.image(0)])[0]?.path == Self.abc)
    }

    @Test("a row whose file is missing or of another size is read as missing", arguments: [nil, "ab"])
    func fileIsGone(_ content: String?) async throws {
        let image = try await images.publish("abc", at: .image(0))
        unlink(scratch.path(image.path))
        if let content { try scratch.write(Array(content.utf8), to: image.path) }
        #expect(try await images.find([.image(0)]) == [nil])
        let message = await expect(.failed) { () throws(FeedError) in _ = try await images.data(of: image) }
        #expect(message.contains(scratch.path(image.path)))
        #expect(message.contains("feedsync validate --deep"))
    }

    @Test("a batch of many images is published completely")
    func many() async throws {
        let batch = try (0..<500).map { try images.stage("image \($0)", at: .image($0)) }
        #expect(try await images.failures(publishing: batch).allSatisfy { $0 == nil })
        #expect(try await images.totals().count == 500)
        #expect(try scratch.names(in: "incoming") == [])
        let found = try await images.find((0..<500).map { .image($0) })
        for (number, image) in found.enumerated() {
            #expect(try await images.data(of: try #require(image)) == Array("image \(number)".utf8))
        }
    }
}
