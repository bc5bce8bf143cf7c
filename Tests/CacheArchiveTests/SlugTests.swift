import Testing

@testable import CacheArchive

@Suite("Names in an archive")
struct SlugTests {
    @Test(
        "a slug has lower-case letters, digits, and single dashes between them",
        arguments: [
            ("A  Description, of: things!", "a-description-of-things"), ("--x--", "x"), ("猫", ""), ("", ""),
            ("../../etc/passwd", "etc-passwd"), ("Ünder\u{1B}[2J", "nder-2j"), ("a/b\\c", "a-b-c"),
        ])
    func slugs(text: String, slug: String) { #expect(Slug.make(text, limit: 100) == slug) }

    @Test("a slug is cut, and never ends in a dash") func cut() {
        #expect(Slug.make("abc def", limit: 4) == "abc")
        #expect(Slug.make("abcdef", limit: 4) == "abcd")
    }

    @Test("a feed is named by its title, else by its URL, and no two are named the same") func feeds() {
        var names = FeedNames()
        #expect(names.name(title: "My Feed", url: "https://a.example/") == "my-feed")
        #expect(names.name(title: "my feed!", url: "https://b.example/") == "my-feed-2")
        #expect(names.name(title: "My feed 2", url: "https://c.example/") == "my-feed-2-2")
        #expect(names.name(title: "My Feed", url: "https://c.example/") == "my-feed-3")
        #expect(names.name(title: nil, url: "https://d.example/feed.json?x=1") == "d-example-feed-json-x-1")
        #expect(names.name(title: "写真", url: "file:///srv/feed.json") == "srv-feed-json")
    }
}
