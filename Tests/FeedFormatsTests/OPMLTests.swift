import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct OPMLTests {
    private func list(_ text: String) throws(FeedError) -> SubscriptionList {
        try FeedDecoder().decodeSubscriptions(FeedSource(bytes: Array(text.utf8), url: .known("file:///a.opml")))
    }

    private func body(_ outlines: String) -> String {
        "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>Mine</title></head><body>\(outlines)</body></opml>"
    }

    @Test("a subscription list gives the feeds of all levels in order, each once")
    func feeds() throws {
        let list = try list(
            body(
                """
                <outline text="A" type="rss" xmlUrl="https://a.example/feed?x=1&amp;y=2" htmlUrl="https://a.example/"/>
                <outline text="Folder"><outline><outline xmlurl=" http://b.example/ "/></outline></outline>
                <outline xmlUrl="" XMLURL="http://f.example/"/><outline XmlUrl="http://g.example/"/>
                <outline text="Link" type="link" url="https://c.example/"/>
                <outline xmlUrl="https://a.example/feed?x=1&amp;y=2"/>
                <outline xmlUrl="https://c.example/c d"/>
                <outline xmlUrl="feed://d.example/rss"/><outline xmlUrl="feed:https://e.example/rss"/>
                """))
        #expect(
            list.feeds.map(\.text) == [
                "https://a.example/feed?x=1&y=2", "http://b.example/", "http://f.example/", "http://g.example/",
                "https://c.example/c%20d", "http://d.example/rss", "https://e.example/rss",
            ])
        #expect(list.notes == [])
    }

    @Test(
        "an invalid feed URL in a subscription list is skipped with a note that names its line",
        arguments: [
            ("file:///etc/passwd", "not an http(s) URL"), ("feed.xml", "not an http(s) URL"),
            ("ftp://h/feed", "not an http(s) URL"), ("http:///feed", "has no host"),
        ])
    func unusable(url: String, reason: String) throws {
        let list = try list(
            body("\n<outline text='The &quot;one&quot;' xmlUrl='\(url)'/><outline xmlUrl='http://h/'/>"))
        #expect(list.feeds.map(\.text) == ["http://h/"])
        #expect(list.notes == [#"line 2: left out the feed "The \"one\"": xmlUrl: \#(reason)"#])
    }

    @Test("the number of notes on a faulty subscription list is limited")
    func notes() throws {
        let notes = try list(body(String(repeating: "<outline xmlUrl='x'/>", count: 1000))).notes
        #expect(notes.count == 101)
        #expect(notes.last == "and 900 more were left out")
    }

    @Test("an empty subscription list is valid")
    func empty() throws { #expect(try list(body("")).feeds == []) }

    @Test(
        "a document that is no subscription list is refused",
        arguments: [
            ("", "line 1, column 1: "), ("<opml>", "line 1, column "), ("<opml/>", "not OPML: it has no body"),
            ("<rss/>", "not OPML: it begins with \"<rss>\""), ("{}", "line 1, column 1: "),
            ("<opml><body><outline></body></opml>", "line 1, column "),
            ("<!DOCTYPE o [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><opml><body>&x;</body></opml>", "line 1, column "),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: FeedError.self) { try list(text) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}
