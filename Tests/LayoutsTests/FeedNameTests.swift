import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("What a feed is called")
struct FeedNameTests {
    private func name(_ url: String, title: String? = nil) throws -> FeedName {
        FeedName(
            GalleryFeed(
                url: try Samples.url(url), title: title, savedAt: .init(microseconds: 0), images: [],
                maxAge: .forever, isFresh: true))
    }

    @Test(
        "A feed's name on its pages is its title, or else its origin without secrets",
        arguments: [
            ("https://me:secret@example.com/a/feed.json?token=1#x", nil, "example.com/a/feed.json"),
            ("https://example.com/", nil, "example.com"), ("https://example.com/", " \u{200F}\n", "example.com"),
            ("https://example.com/f", "Birds", "Birds"), ("file:///home/me/private/birds.xml", nil, "birds"),
            ("file:///home/me/.birds", nil, ".birds"),
        ] as [(String, String?, String)])
    func title(url: String, title: String?, expected: String) throws {
        #expect(try name(url, title: title).title == expected)
    }

    @Test(
        "A feed's name in a file name consists of plain characters",
        arguments: [
            ("https://example.com/Birds/feed.json?token=1", "example-com-birds-feed-json"),
            ("https://日本.example/", "xn-wgv71a-example"), ("file:///home/me/..x.html", "x"), ("file:///日", "feed"),
            (
                "https://example.com/" + String(repeating: "long/", count: 50),
                "example-com-long-long-long-long-long-lon"
            ),
        ])
    func slug(url: String, expected: String) throws { #expect(try name(url).slug == expected) }
}
