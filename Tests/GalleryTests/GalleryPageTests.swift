import FeedCore
import TestSupport
import Testing

@testable import Gallery

@Suite("A page of the gallery")
struct GalleryPageTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func page(of urls: String...) async throws -> String {
        let pictures = try urls.map { url in
            GalleryPicture(image: FeedImage(id: url, url: try Samples.url(url)), data: .missing(reason: nil))
        }
        let now = Timestamp(microseconds: 0)
        let feed = GalleryFeed(url: .first, title: nil, savedAt: now, pictures: pictures, maxAge: .forever)
        _ = try await StaticGallery(sleeping: { _ in throw SystemFailure("nobody was to wait") }).write(
            Gallery(feeds: [feed], writtenAt: now), images: NoImages(),
            to: GalleryPlace(path: folder.path("site"), cache: folder.path("cache"), lockWait: .zero))
        return String(decoding: try folder.read("site/index.html"), as: UTF8.self)
    }

    @Test("has the browser ask nobody else, and run nothing that a feed brings")
    func policy() async throws {
        #expect(try await page().contains("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "))
    }

    @Test("names images on the net, and no path of this machine")
    func localImages() async throws {
        let page = try await page(of: "https://a.example/1.png", "file:///home/me/secret/2.png")
        #expect(page.contains("https://a.example/1.png"))
        #expect(!page.contains("secret"))
        #expect(!page.contains("file:"))
    }
}

private struct NoImages: ImageFiles {
    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        throw .storage(.failed, "\(image.path): there is none")
    }
}
