import FeedCore
import Glibc
import Layouts
import TestDoubles
import TestSupport
import Testing

@Suite("Writing a gallery")
struct StaticGalleryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(
        _ images: [GalleryImage] = [], maxHeldBytes: Int = 16 << 20
    ) async throws -> GalleryReport {
        let feed = GalleryFeed(
            FeedHead(url: .first, title: nil, format: .essential, savedAt: Timestamp(microseconds: 0)),
            images: images, maxAge: .forever, isFresh: true)
        return try await StaticGallery(maxHeldBytes: maxHeldBytes).write(
            images.isEmpty ? [] : [feed], images: NoFiles(),
            to: OutputTarget(path: directory.path("site"), cache: directory.path("cache")), GalleryOptions())
    }

    private func stored() throws -> StoredImage {
        let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: 32)))
        return StoredImage(
            digest: digest, size: 9, type: .png, validators: Validators(),
            fetchedAt: Timestamp(microseconds: 0), directory: "/secret")
    }

    @Test("An unreadable file of the cache is reported once with the reason, and its path is on no page")
    func unreadable() async throws {
        let stored = try stored()
        let images = SavedFeed.sample(images: 3).feed.images
        let report = try await write(
            images.prefix(2).map { GalleryImage(image: $0, data: .stored(stored)) }
                + [GalleryImage(image: images[2], data: .missing(reason: nil))])
        #expect(report.missing == 3)
        #expect(report.unreadable == [.notFound("\(stored.path): permission denied")])
        let page = String(decoding: try directory.read("site/index.html"), as: UTF8.self)
        #expect(page.split(separator: "the file in the cache can&#39;t be read").count == 3)
        #expect(!page.contains("secret"))
    }

    @Test("Pages that exceed the limit of memory are written like those within it", arguments: [0, 8000])
    func largePages(maxHeldBytes: Int) async throws {
        func inode(_ name: String) -> ino_t? {
            var status = stat()
            return stat(directory.path("site/\(name)"), &status) == 0 ? status.st_ino : nil
        }
        let images = SavedFeed.sample(images: 500).feed.images.map {
            GalleryImage(image: $0, data: .missing(reason: nil))
        }
        _ = try await write(images, maxHeldBytes: maxHeldBytes)
        let pages = TemporaryDirectory.names(in: directory.path("site")).filter { $0.hasSuffix(".html") }
        #expect(pages.count == 4)
        let before = pages.map(inode)
        _ = try await write(images)
        #expect(!before.contains(nil) && pages.map(inode) == before)
    }
}

/// The files of a cache in which every file is unreadable.
private struct NoFiles: ImageFiles {
    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        throw .notFound("\(image.path): permission denied")
    }
}
