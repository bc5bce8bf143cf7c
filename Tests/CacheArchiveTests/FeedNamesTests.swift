import Testing

@testable import CacheArchive

@Suite("Names in an archive")
struct FeedNamesTests {
    @Test("each feed in an archive is named by its title, or by its URL, and the names are distinct") func feeds() {
        var names = FeedNames()
        #expect(names.name(title: "My Feed", url: "https://a.example/") == "my-feed")
        #expect(names.name(title: "my feed!", url: "https://b.example/") == "my-feed-2")
        #expect(names.name(title: "My feed 2", url: "https://c.example/") == "my-feed-2-2")
        #expect(names.name(title: "My Feed", url: "https://c.example/") == "my-feed-3")
        #expect(names.name(title: nil, url: "https://d.example/feed.json?x=1") == "d-example-feed-json-x-1")
        #expect(names.name(title: "写真", url: "file:///srv/feed.json") == "srv-feed-json")
    }
}
