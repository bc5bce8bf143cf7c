import CacheArchive
import FeedCore
import Glibc
import JSONText
import TestDoubles
import TestSupport
import Testing

@Suite("An export")
struct ExportTests {
    @Test(
        "an export that is imported into an empty cache and exported again gives the same bytes",
        arguments: [0, 1, 3, 1001])
    func roundTrip(images: Int) async throws {
        let first = try await ArchiveFixture.sample(images: images)
        let second = Feed(format: .rss, images: (0..<min(images, 8)).map(FeedImage.full))
        try await first.save(SavedFeed(url: .second, feed: second, savedAt: Timestamp(microseconds: -5)))
        let archive = try await first.export()
        let other = ArchiveFixture()
        let report = try await other.takeIn(archive)
        #expect(report.feeds.map(\.outcome) == [.added, .added] && report.images == images)
        #expect(try await other.export() == archive)
        #expect(try await other.feeds.retrieve(.second)?.feed == second)
    }

    @Test("an export contains images of any size and finds damage in any of them")
    func sizes() async throws {
        let fixture = ArchiveFixture()
        let lengths = [3 << 20, 10, 5_000_000, 1 << 20, 1, 70_000, (1 << 21) + 1, 100]
        let images = lengths.map { Samples.png(String(repeating: "\($0) ", count: $0 / 8)) }
        try await fixture.save(.sample(images: images.count))
        for (number, image) in images.enumerated() { try await fixture.store(image, at: .image(number)) }
        let archive = try await fixture.export()
        let other = ArchiveFixture()
        try await other.takeIn(
            archive,
            ImportTerms(
                maxImageSize: 1 << 30, maxFeedSize: .standard, restores: true,
                now: .writable.upperBound))
        #expect(try await other.export() == archive)
        for image in images {
            var damaged = image
            damaged[damaged.count - 1] ^= 1
            try fixture.cache.swapData(image, damaged)
            await #expect { _ = try await fixture.export() } throws: { ($0 as? FeedError)?.kind == .invalidData }
            try fixture.cache.swapData(image, image)
        }
        #expect(try await fixture.export() == archive)
    }

    @Test(
        "an import detects the compression of an export",
        arguments: ["x.tar.gz", "x.TGZ", "x.tar.zst"])
    func compression(fileName: String) async throws {
        let fixture = try await ArchiveFixture.sample(images: 40)
        let plain = try await fixture.export()
        let archive = try await fixture.export(as: fileName)
        #expect(archive.count < plain.count / 2)
        #expect(try await fixture.export(as: fileName) == archive)
        let other = ArchiveFixture()
        try await other.takeIn(archive, inPiecesOf: 100)
        #expect(try await other.export() == plain)
    }

    @Test("an export contains exactly the requested feeds") func named() async throws {
        let fixture = try await ArchiveFixture.sample(images: 2)
        try await fixture.save(.sample(.second, images: 1))
        let other = ArchiveFixture()
        try await other.takeIn(try await fixture.export([.second, .second]))
        #expect(try await other.feeds.summaries().map(\.url) == [.second])
        #expect(try await other.feeds.summaries().map(\.images) == [1])
    }

    @Test("an export of an empty cache or of an unsaved feed is an error") func nothing() async throws {
        let empty = ArchiveFixture()
        await #expect { _ = try await empty.export() } throws: { ($0 as? FeedError)?.kind == .notFound }
        let fixture = try await ArchiveFixture.sample(images: 1)
        await #expect { _ = try await fixture.export([.second]) } throws: { ($0 as? FeedError)?.kind == .notFound }
    }

    @Test("an export of a damaged image fails with a remedy") func damaged() async throws {
        let fixture = try await ArchiveFixture.sample(images: 3)
        try fixture.images.damage(.image(1))
        await #expect { _ = try await fixture.export() } throws: { error in
            guard let error = error as? FeedError else { return false }
            return error.kind == .invalidData && error.message.contains("feedsync validate --deep")
        }
    }

    @Test("an export that ends early releases its memory") func leavesNothing() async throws {
        let fixture = try await ArchiveFixture.sample(images: 1)
        try fixture.images.damage(.image(0))
        let before = try Self.addressSpace()
        for _ in 0..<1000 {
            await #expect(throws: FeedError.self) { try await fixture.export(as: "x.tar.zst") }
        }
        #expect(try Self.addressSpace() - before < 2 << 30)
    }

    private static func addressSpace() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 100)
        _ = try #require(fgets(&line, 100, file))
        return strtol(line, nil, 10) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test("an export of bytes with another digest fails") func otherBytes() async throws {
        let fixture = ArchiveFixture()
        try await fixture.save(.sample(images: 1))
        try await fixture.store(Samples.png("right"), at: .image(0))
        try fixture.cache.swapData(Samples.png("right"), Samples.png("wrong"))
        await #expect { _ = try await fixture.export() } throws: { ($0 as? FeedError)?.kind == .invalidData }
    }

    @Test("an export that can't be written fails without being committed") func fullDisk() async throws {
        let fixture = try await ArchiveFixture.sample(images: 3)
        let target = MemoryTarget(room: 1000)
        await #expect(throws: FeedError.storage(.failed, "the disk is full")) {
            try await InMemoryTransfer(fixture.cache).read(lockWait: .zero) { snapshot throws(FeedError) in
                try CacheExporter().export([], from: snapshot, to: target, fileName: "x.tar") { _ in }
            }
        }
        #expect(!target.isCommitted)
    }

    @Test("an export begins with the layout and the index, followed by the blobs in the order of their names")
    func order()
        async throws
    {
        let names = Self.names(in: try await ArchiveFixture.sample(images: 30).export())
        #expect(names.prefix(2) == ["oci-layout", "index.json"])
        #expect(names.dropFirst(2).elementsEqual(names.dropFirst(2).sorted()) && names.count == 34)
    }

    @Test("an export splits a large feed into manifests of 500 images that share its document") func splitting()
        async throws
    {
        let files = Self.files(in: try await ArchiveFixture.sample(images: 1001).export())
        let index = try JSONValue.parse(try #require(files["index.json"]))
        let manifests = try #require(index["manifests"]?.array)
        #expect(
            manifests.map { $0["annotations"]?["org.opencontainers.image.ref.name"]?.string }
                == ["sample", "sample.2", "sample.3"])
        var configs: Set<String> = []
        var titles: [String] = []
        for (manifest, count) in zip(manifests, [500, 500, 1]) {
            let digest = try #require(manifest["digest"]?.string?.dropFirst("sha256:".count))
            let text = try JSONValue.parse(try #require(files["blobs/sha256/\(digest)"]))
            configs.insert(text["config"]?["digest"]?.string ?? "")
            let layers = try #require(text["layers"]?.array)
            #expect(layers.count == count)
            titles += layers.compactMap { $0["annotations"]?["org.opencontainers.image.title"]?.string }
        }
        #expect(configs.count == 1)
        #expect(titles[0] == "0001-number-0.png" && titles[1] == "0002.png" && titles[1000] == "1001-number-1000.png")
    }

    @Test("an export contains each image once, even if several feeds and URLs have it") func once() async throws {
        let fixture = ArchiveFixture()
        try await fixture.save(.sample(images: 3))
        try await fixture.save(.sample(.second, images: 2))
        for number in 0..<3 { try await fixture.store(Samples.png("the same"), at: .image(number)) }
        // The entries are the layout, the index, a document and a manifest for each feed, and the image.
        #expect(Self.names(in: try await fixture.export()).count == 7)
    }

    @Test("an export of an image without data contains no digest for it") func missing() async throws {
        let fixture = ArchiveFixture()
        try await fixture.save(.sample(images: 2))
        try await fixture.store(Samples.png, at: .image(1), Validators(etag: "\"e\"", lastModified: "then"))
        let documents = Self.files(in: try await fixture.export()).values.compactMap { try? JSONValue.parse($0) }
        let document = try #require(documents.first { $0["version"]?.int == 1 })
        #expect(document["images"]?[0]?.names == ["id", "description", "location", "url"])
        #expect(
            document["images"]?[1]?.names == ["id", "url", "digest", "fetched_at", "etag", "last_modified"])
        #expect(document["saved_at"]?.string == "1970-01-01T00:00:01.000000Z")
    }

    @Test("an export contains every member of an image") func members() async throws {
        let fixture = ArchiveFixture()
        let feed = Feed(format: .rss, images: [.full(4)])
        try await fixture.save(SavedFeed(url: .first, feed: feed, savedAt: Timestamp(microseconds: 1), rules: "mine"))
        try await fixture.store(Samples.png, at: .image(4), Validators(etag: "\"e\"", lastModified: "then"))
        let documents = Self.files(in: try await fixture.export()).values.compactMap { try? JSONValue.parse($0) }
        let document = try #require(documents.first { $0["version"]?.int == 1 })
        #expect(document.names == ["version", "url", "format", "saved_at", "named", "images"])
        let digest = try #require(document["images"]?[0]?["digest"])
        #expect(
            document["images"]?[0] == [
                "id": "full-4", "description": "Number 4", "location": "Here", "title": "Post 2",
                "link": "https://blog.example/2", "published": "2026-11-18T11:06:40.000003Z",
                "author": "Ann \u{E9}", "rights": "CC BY", "tags": ["tag 2", "fog, thick"],
                "text": "Two\nlines \u{1F30A}",
                "alternatives": [
                    "https://images.example/4.png?w=100&h=\u{E9}", "https://images.example/4.png?w=200&h=\u{E9}",
                ],
                "url": "https://images.example/4.png", "digest": digest,
                "fetched_at": "1970-01-01T00:00:00.000001Z", "etag": "\"e\"", "last_modified": "then",
            ])
    }

    /// Reads the entries of a tar archive that has only plain headers.
    static func files(in tar: [UInt8]) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: entries(in: tar))
    }

    static func names(in tar: [UInt8]) -> [String] { entries(in: tar).map(\.0) }

    private static func entries(in tar: [UInt8]) -> [(String, [UInt8])] {
        var entries: [(String, [UInt8])] = []
        var position = 0
        while position + 512 <= tar.count, tar[position] != 0 {
            let name = String(decoding: tar[position..<position + 100].prefix { $0 != 0 }, as: UTF8.self)
            let digits = String(decoding: tar[position + 124..<position + 135], as: UTF8.self)
            let size = Int(digits, radix: 8) ?? 0
            entries.append((name, Array(tar[position + 512..<position + 512 + size])))
            position += 512 + (size + 511) / 512 * 512
        }
        return entries
    }
}
