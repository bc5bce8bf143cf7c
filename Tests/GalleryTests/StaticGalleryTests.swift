import FeedCore
import Glibc
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import Gallery

@Suite("Writing a gallery")
struct StaticGalleryTests {
    private let folder: TemporaryDirectory
    private let site: String

    init() throws {
        folder = try TemporaryDirectory()
        site = folder.path("site")
    }

    private func place(lockWait: Duration = .zero) -> GalleryPlace {
        GalleryPlace(path: site, cache: folder.path("cache"), lockWait: lockWait)
    }

    private func write(
        _ pictures: [GalleryPicture] = [], from files: any ImageFiles = NoFiles(), lockWait: Duration = .zero,
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { _ in
            throw SystemFailure("nobody was to wait")
        }
    ) async throws(FeedError) -> GalleryReport {
        let now = Timestamp(microseconds: 0)
        let feed = GalleryFeed(
            url: .first, title: nil, savedAt: now, pictures: pictures, maxAge: .forever, isFresh: true)
        return try await StaticGallery(sleeping: sleeping)
            .write(pictures.isEmpty ? [] : [feed], images: files, to: place(lockWait: lockWait))
    }

    @Test("waits for another run that is writing it, or is writing it for the first time", arguments: [true, false])
    func waits(isThere: Bool) async throws {
        if isThere { _ = try await write() }
        let other = Mutex<GalleryFolder?>(try GalleryFolder(place()))
        let error = await #expect(throws: FeedError.self) { try await write() }
        #expect(error?.kind == .storage(.locked))
        _ = try await write(lockWait: .seconds(60)) { _ in
            try other.withLock { folder in
                try folder?.write([], to: "index.html")
                try folder?.publish()
                folder = nil
            }
        }
        #expect(TemporaryDirectory.names(in: folder.path) == ["site"])
        #expect(try folder.read("site/index.html") != [])
    }

    @Test("waits no longer than it was told") func waitsNoLonger() async throws {
        let other = try GalleryFolder(place())
        let clock = ManualClock()
        let error = await #expect(throws: FeedError.self) {
            try await write(lockWait: .milliseconds(130)) { clock.sleep($0) }
        }
        #expect(error?.kind == .storage(.locked))
        #expect(clock.sleeps.reduce(.zero, +) == .milliseconds(130))
        withExtendedLifetime(other) {}
    }

    @Test("ends as cancelled when its wait is") func cancelled() async throws {
        let other = try GalleryFolder(place())
        await #expect(throws: FeedError.cancelled) {
            try await write(lockWait: .seconds(60)) { _ in throw CancellationError() }
        }
        withExtendedLifetime(other) {}
    }

    @Test("tells why a file of the cache can't be read, once, and shows the rest without its path")
    func unreadable() async throws {
        let stored = try stored()
        let images = SavedFeed.sample(images: 3).feed.images
        let report = try await write(
            images.prefix(2).map { GalleryPicture(image: $0, data: .stored(stored)) }
                + [GalleryPicture(image: images[2], data: .missing(reason: nil))])
        #expect(report.missing == 3)
        #expect(report.unreadable == [.notFound("\(stored.path): permission denied")])
        let page = String(decoding: try folder.read("site/index.html"), as: UTF8.self)
        #expect(page.split(separator: "the file in the cache can&#39;t be read").count == 3)
        #expect(!page.contains("secret"))
    }

    @Test("fails where no file can be read, and leaves the old one") func nothingReadable() async throws {
        _ = try await write()
        let before = try folder.read("site/index.html")
        let image = try #require(SavedFeed.sample(images: 1).feed.images.first)
        let picture = GalleryPicture(image: image, data: .stored(try stored()))
        let failure = FeedError.storage(.failed, "too many open files")
        await #expect(throws: failure) { try await write([picture], from: NoFiles(failure: failure)) }
        #expect(try folder.read("site/index.html") == before)
        #expect(TemporaryDirectory.names(in: folder.path) == ["site"])
    }

    private func stored() throws -> StoredImage {
        let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: 32)))
        return StoredImage(
            digest: digest, size: 9, type: .png, validators: Validators(),
            fetchedAt: Timestamp(microseconds: 0), folder: "/secret")
    }

    @Test(
        "keeps what somebody puts into the old one at the last moment, and says where",
        arguments: ["mine", "images/mine"], [true, false])
    func othersFile(name: String, isGallery: Bool) async throws {
        if isGallery { _ = try await write() } else { try folder.makeDirectory("site") }
        let kept = ".site.feedsync-new"
        let error = #expect(throws: FeedError.self) {
            let staged = try GalleryFolder(place())
            defer { staged.abandon() }
            try staged.write(Array("new".utf8), to: "index.html")
            if !isGallery { try folder.makeDirectory("site/images") }
            try folder.write("mine", to: "site/\(name)")
            try staged.publish()
        }
        #expect(error?.kind == .storage(.failed))
        #expect(error?.message.contains(folder.path(kept)) == true)
        #expect(try folder.read("site/index.html") == Array("new".utf8))
        #expect(try folder.read("\(kept)/\(name)") == Array("mine".utf8))
        // So it is until the person takes it away.
        let next = await #expect(throws: FeedError.self) { try await write() }
        #expect(next?.kind == .storage(.cannotCreate))
        #expect(try folder.read("\(kept)/\(name)") == Array("mine".utf8))
    }
}

/// Of a cache in which nothing can be read.
private struct NoFiles: ImageFiles {
    var failure: FeedError?

    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        throw failure ?? .notFound("\(image.path): permission denied")
    }
}
