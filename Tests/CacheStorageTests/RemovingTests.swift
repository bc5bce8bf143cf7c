import CacheStorage
import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Removing images")
struct RemovingTests {
    private let scratch: ScratchCache
    private let cache: Cache
    private var images: any ImageStore { cache.images }

    init() async throws {
        scratch = try ScratchCache()
        cache = try await scratch.open(.repair(lockWait: .zero))
        try await cache.feeds.save(.sample(images: 0))
    }

    @Test("unreferenced images and leftovers of every kind are deleted, and their bytes are counted")
    func leftovers() async throws {
        try await cache.feeds.save(.sample(images: 1))
        try await images.publish("named", at: .image(0))
        let before = try scratch.snapshot("images")
        try scratch.write(Array(repeating: 1, count: 900), to: "incoming/0")
        // An import names its staged blobs by their digests.
        try scratch.write(Array(repeating: 1, count: 100), to: "incoming/\(String(repeating: "cd", count: 32))")
        try scratch.write(Array(repeating: 1, count: 200), to: "images/sha256/\(String(repeating: "ab", count: 32))")
        try scratch.write(Array(repeating: 1, count: 30), to: "images/sha256/notes.txt")
        try scratch.makeDirectory("images/sha256/directory")
        try scratch.makeDirectory("images/sha256/directory/inner")
        try scratch.write(Array(repeating: 1, count: 4), to: "images/sha256/directory/inner/file")
        try scratch.write([1], to: "images/sha256/\u{FC}")
        mkfifo(scratch.path("incoming/pipe"), 0o600)

        let expected = ImageRemoval(images: 1, bytesFreed: 1235)
        #expect(try await images.removeUnreferenced(.dryRun(withoutFeeds: [])) == expected)
        #expect(try scratch.names(in: "incoming").count == 3)
        #expect(try await scratch.open(.read).images.removeUnreferenced(.dryRun(withoutFeeds: [])) == expected)
        #expect(try await images.removeUnreferenced(.forReal) == expected)
        #expect(try scratch.snapshot("images") == before)
        #expect(try scratch.names(in: "incoming") == [])
        #expect(try await images.find([.image(0)])[0]?.size == 5)
    }

    @Test("a leftover whose name differs from UTF-8 is deleted")
    func unreadableName() async throws {
        let directory = try Descriptor.directory(at: scratch.path("images/sha256"))
        let name: [CChar] = [-1, -2, 0]
        let file = openat(directory.number, name, O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0 && close(file) == 0)
        _ = try await images.removeUnreferenced(.forReal)
        #expect(try scratch.names(in: "images/sha256") == [])
    }

    @Test("a leftover directory whose name differs from UTF-8 is deleted")
    func unreadableDirectoryName() async throws {
        let incoming = try Descriptor.directory(at: scratch.path("incoming"))
        let name: [CChar] = [-1, -2, 0]
        #expect(mkdirat(incoming.number, name, 0o700) == 0)
        let directory = openat(incoming.number, name, O_RDONLY | O_DIRECTORY)
        let file = openat(directory, "inner", O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0 && close(file) == 0 && close(directory) == 0)
        _ = try await images.removeUnreferenced(.forReal)
        #expect(try scratch.names(in: "incoming") == [])
    }

    @Test("leftover symbolic links are deleted, and their targets stay")
    func links() async throws {
        try scratch.makeDirectory("outside")
        try scratch.write([1, 2, 3], to: "outside/file")
        #expect(symlink("../../outside", scratch.path("images/sha256/directory")) == 0)
        #expect(symlink("../outside/file", scratch.path("incoming/file")) == 0)
        _ = try await images.removeUnreferenced(.forReal)
        #expect(try scratch.names(in: "images/sha256") == [])
        #expect(try scratch.names(in: "incoming") == [])
        #expect(try scratch.read("outside/file") == [1, 2, 3])
    }

    @Test("a row whose file is missing is deleted")
    func missingFile() async throws {
        try await cache.feeds.save(.sample(images: 2))
        let gone = try await images.publish("gone", at: .image(0))
        try await images.publish("there", at: .image(1))
        unlink(scratch.path(gone.path))
        #expect(try await images.removeUnreferenced(.forReal) == ImageRemoval(images: 1, gone: 1, bytesFreed: 0))
        #expect(try await images.totals() == ImageTotals(count: 1, bytes: 5))
    }

    @Test("an entry that replaced an image is counted once, also in a dry run")
    func replacedEntry() async throws {
        try await cache.feeds.save(.sample(images: 1))
        let gone = try await images.publish("gone", at: .image(0))
        unlink(scratch.path(gone.path))
        symlink("nowhere", scratch.path(gone.path))
        for mode in [RemovalMode.dryRun(withoutFeeds: []), .forReal] {
            #expect(try await images.removeDamaged(mode) == .nothing)
            let removal = try await images.removeUnreferenced(mode)
            #expect(removal.images == 1 && removal.gone == 1)
        }
        #expect(try scratch.names(in: "images/sha256") == [])
    }

    @Test("images whose rows can't be deleted keep their files")
    func rowsFirst() async throws {
        let image = try await images.publish("picture", at: .image(0))
        try scratch.execute("CREATE TRIGGER fault BEFORE DELETE ON data BEGIN SELECT raise(ABORT, 'fault'); END")
        await expect(.failed) { () throws(FeedError) in _ = try await images.removeUnreferenced(.forReal) }
        #expect(try scratch.names(in: "images/sha256").count == 1)
        #expect(try await images.data(of: image) == Array("picture".utf8))
        try await cache.feeds.save(.sample(images: 1))
        try scratch.write(Array("pictuRe".utf8), to: image.path)
        await expect(.failed) { () throws(FeedError) in _ = try await images.removeDamaged(.forReal) }
        #expect(try scratch.exists(image.path))
    }

    @Test(
        "every kind of damage to an image is found and set aside", arguments: ["pictuRe", "pict", "picture!", ""])
    func damage(_ harm: String) async throws {
        try await cache.feeds.save(.sample(images: 3))
        let image = try await images.publish("picture", at: .image(0))
        try await images.publish("picture", at: .image(1))
        try await images.publish("intact", at: .image(2))
        unlink(scratch.path(image.path))
        try scratch.write(Array(harm.utf8), to: image.path)
        let expected = DamageRemoval(
            files: 1,
            images: [0, 1].map { DamageRemoval.DamagedImage(url: .image($0), feed: .first, digest: image.digest) })
        #expect(try await images.removeDamaged(.dryRun(withoutFeeds: [])) == expected)
        #expect(try await images.removeDamaged(.forReal) == expected)
        #expect(try !scratch.exists(image.path))
        #expect(try scratch.read("damaged/\(image.digest.hex)") == Array(harm.utf8))
        #expect(try await images.removeUnreferenced(.forReal) == .nothing)
        #expect(try await images.find([.image(0), .image(1), .image(2)]).map { $0?.size } == [nil, nil, 6])
        #expect(try await images.totals() == ImageTotals(count: 1, bytes: 6))
        #expect(try scratch.exists("damaged/\(image.digest.hex)"))
    }

    @Test(
        "an entry that is no file counts as a missing image instead of a damaged one",
        arguments: ["gone", "directory", "link", "pipe"])
    func noFile(_ state: String) async throws {
        try await cache.feeds.save(.sample(images: 1))
        let image = try await images.publish("picture", at: .image(0))
        unlink(scratch.path(image.path))
        switch state {
        case "directory": try scratch.makeDirectory(image.path)
        case "link": symlink("/etc/hostname", scratch.path(image.path))
        case "pipe": mkfifo(scratch.path(image.path), 0o600)
        default: break
        }
        #expect(try await images.removeDamaged(.forReal) == .nothing)
        let removal = try await images.removeUnreferenced(.forReal)
        #expect(removal.images == 1 && removal.gone == 1)
        #expect(try !scratch.exists(image.path))
    }

    @Test("files in damaged/ that no record mentions are deleted, and their bytes are counted")
    func unknownDamaged() async throws {
        try scratch.makeDirectory("damaged")
        try scratch.write([1, 2, 3], to: "damaged/\(String(repeating: "ab", count: 32))")
        try scratch.write([1], to: "damaged/notes.txt")
        let expected = ImageRemoval(images: 0, bytesFreed: 4)
        #expect(try await images.removeUnreferenced(.dryRun(withoutFeeds: [])) == expected)
        #expect(try await images.removeUnreferenced(.forReal) == expected)
        #expect(try scratch.names(in: "damaged") == [])
    }

    @Test("the damaged ones among many images are found")
    func damageAmongMany() async throws {
        try await cache.feeds.save(.sample(images: 200))
        let batch = try (0..<200).map { try images.stage("image \($0)", at: .image($0)) }
        #expect(try await images.failures(publishing: batch).allSatisfy { $0 == nil })
        let harmed = stride(from: 3, to: 200, by: 7).map { $0 }
        for number in harmed {
            let image = try #require(try await images.find([.image(number)])[0])
            try scratch.write(Array("IMAGE \(number)".utf8), to: image.path)
        }
        #expect(try await images.removeDamaged(.forReal).files == harmed.count)
        let left = try await images.find((0..<200).map { .image($0) })
        #expect(left.indices.filter { left[$0] == nil } == harmed)
    }

    @Test("a search for damage reports its progress")
    func progress() async throws {
        try await cache.feeds.save(.sample(images: 20))
        let batch = try (0..<20).map { try images.stage("image \($0 % 10)", at: .image($0)) }
        #expect(try await images.failures(publishing: batch).allSatisfy { $0 == nil })
        let harmed = try #require(try await images.find([.image(3)])[0])
        try scratch.write(Array("IMAGE 3".utf8), to: harmed.path)
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self)
        _ = try await images.removeDamaged(.forReal, progress: continuation)
        continuation.finish()
        var told: [Progress] = []
        for await progress in stream { told.append(progress) }
        #expect(told.count == 10)
        #expect(told.allSatisfy { $0.total == 10 })
        #expect(told.map(\.done).max() == 10)
        #expect(told.contains(Progress(done: 10, total: 10, bytes: 70, failed: 1)))
    }

    @Test("a cancelled search for damage ends without deleting images")
    func cancelled() async throws {
        try await cache.feeds.save(.sample(images: 1))
        let image = try await images.publish("picture", at: .image(0))
        try scratch.write(Array("pictuRe".utf8), to: image.path)
        let run = Task { [images] () async -> FeedError? in
            // The search starts after its task was cancelled.
            while !Task.isCancelled { await Task.yield() }
            do throws(FeedError) { _ = try await images.removeDamaged(.forReal) } catch { return error }
            return nil
        }
        run.cancel()
        #expect(await run.value?.kind == .cancelled)
        #expect(try scratch.exists(image.path))
    }
}
