import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite("The id of an item") struct ItemIDTests {
    @Test(
        "an item id that is a URL is shown without its password",
        arguments: [
            ("http://u:p@h.example/1", "http://h.example/1"), ("ftp://u@h/a@b", "ftp://h/a@b"),
            ("tag:u@h,2026:1", "tag:u@h,2026:1"), ("http://h/?a=b@c", "http://h/?a=b@c"),
            ("http://a@b:c@h", "http://h"), ("u@h", "u@h"), ("x://@", "x://"), ("//u:p@h/x", "//h/x"),
            ("see http://h/@ and http://u:p@h/", "see http://h/@ and http://h/"), ("http://h//u@b", "http://h//b"),
            ("https:u:p@h.example/1", "https:h.example/1"),
        ])
    func passwords(given: String, id: String) throws {
        for text in [
            "<rss><channel><item><guid>\(given)</guid><enclosure url='a.png'/></item></channel></rss>",
            #"{"version":"https://jsonfeed.org/version/1","items":[{"id":"\#(given)","image":"a.png"}]}"#,
        ] {
            let source = FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/"))
            #expect(try FeedDecoder().decode(source).feed.images.map(\.id) == [id])
        }
    }
}
