import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Gallery

@Suite("What a feed is called")
struct FeedNameTests {
    private func name(_ url: String, title: String? = nil) throws -> FeedName {
        FeedName(
            GalleryFeed(
                url: try Samples.url(url), title: title, savedAt: .init(microseconds: 0), pictures: [],
                maxAge: .forever, isFresh: true))
    }

    @Test(
        "is its title, else where it comes from, less what may be secret",
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
        "in the name of a file it is plain",
        arguments: [
            ("Birds of the World!", "birds-of-the-world"), ("../../etc/passwd", "etc-passwd"), ("日本", "feed"),
            ("Ünïcode 7", "n-code-7"), ("a.b.2.html", "a-b-2-html"), ("Ｆｕｌｌ", "feed"),
            (String(repeating: "long ", count: 50), "long-long-long-long-long-long-long-long"),
        ])
    func slug(title: String, expected: String) throws {
        #expect(try name("https://example.com/", title: title).slug == expected)
    }

    @Test("two of one name have two files, and none is that of the list") func unique() throws {
        var names = PageNames()
        let feeds = try ["Birds", "birds", "Index", "Birds 2", "Birds"].map {
            try name("https://example.com/", title: $0)
        }
        #expect(feeds.map { names.name(for: $0) } == ["birds", "birds-2", "index-2", "birds-2-2", "birds-3"])
        #expect(PageNames.file("birds", page: 1) == "birds.html")
        #expect(PageNames.file("birds", page: 2) == "birds.2.html")
    }
}
