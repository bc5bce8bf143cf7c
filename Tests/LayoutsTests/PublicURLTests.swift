import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("The URLs that a gallery shows")
struct PublicURLTests {
    @Test(
        "An image's URL is shown if it has no query, or one of nothing but size and format",
        arguments: [
            "", "#a?b=c", "?", "?w=300", "?W=300&h=200", "?width=640&format=webp&auto=compress%2Cformat&dpr=2",
            "?ssl=1",
            "?resize=300%2C200&crop=16:9", "?size=1024x768&fit=max", "?quality=80&strip=all&zoom=2", "?w",
        ])
    func shown(query: String) throws {
        #expect(PublicURL.isImage(try Samples.url("https://a.example/1.jpg\(query)")))
    }

    @Test(
        "An image's URL is not shown if it has another query or a signature in place of a size",
        arguments: [
            "?token=1", "?w=300&sig=a", "?w=300;sig=a", "?id=7", "?s=0f1e2d3c4b5a69788796a5b4c3d2e1f0",
            "?s=abcdefghijklmnop",
            "?format=\(String(repeating: "a,", count: 40))", "?w=a%3Fb", "?=1", "?w=1?sig=2", "?fit=123456789",
        ])
    func hidden(query: String) throws {
        #expect(!PublicURL.isImage(try Samples.url("https://a.example/1.jpg\(query)")))
    }

    @Test("A link to an item's page may have a query, unless it is the image itself")
    func pages() throws {
        let image = FeedImage(
            id: "1", url: try Samples.url("https://a.example/1.jpg?sig=1"),
            alternatives: [try Samples.url("https://a.example/2.jpg?sig=2")])
        #expect(PublicURL.isPage(try Samples.url("https://a.example/?p=7"), of: image))
        #expect(!PublicURL.isPage(try Samples.url("https://a.example/2.jpg?sig=2"), of: image))
        #expect(!PublicURL.isPage(try Samples.url("file:///home/me"), of: image))
    }

    @Test("A reason why an image is missing has no query in it")
    func reasons() {
        let reason = "refused: http://a.example/b?sig=1 and https://b.example/ answered? no"
        #expect(
            PublicURL.withoutQueries(reason) == "refused: http://a.example/b and https://b.example/ answered? no")
    }
}
