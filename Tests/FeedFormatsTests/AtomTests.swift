import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct AtomTests {
    @Test(
        "a type that means markup is recognised in every spelling",
        arguments: [
            ("html", true), (" HTML ", true), ("text/html; charset=utf-8", true), ("Text/HTML;", true),
            ("application/xhtml+xml ;x=y", true), ("xhtml", true), ("text", false), ("text/plain; a=html", false),
            (";html", false), ("htmlx", false),
        ])
    func markupTypes(type: String, isMarkup: Bool) throws {
        let markup = "&lt;img src='a.png' alt='&lt;b>'>"
        let text = """
            <feed xmlns='http://www.w3.org/2005/Atom'><title type='\(type)'>&lt;b>x&lt;/b></title>
            <entry><content type='\(type)'>\(markup)</content></entry></feed>
            """
        let feed = try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/"))
        #expect(feed.title == (isMarkup ? "x" : "<b>x</b>"))
        #expect(feed.images.count == (isMarkup ? 1 : 0))
    }

    @Test("content without a type is HTML if it contains an image")
    func untyped() throws {
        func feed(_ content: String) throws -> Feed {
            let text = "<feed xmlns='http://www.w3.org/2005/Atom'><entry>\(content)</entry></feed>"
            return try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/"))
        }
        let image = "&lt;img src='a.png'>"
        #expect(try feed("<content>\(image)</content>").images.count == 1)
        #expect(try feed("<summary>\(image)</summary>").images.count == 1)
        #expect(try feed("<content type=''>\(image)</content>").images.count == 1)
        #expect(try feed("<title>\(image)</title>").images.count == 0)
        let enclosure = "<link rel='enclosure' href='a.png'/>"
        #expect(try feed("<content>1 &lt; 2</content>\(enclosure)").images.map(\.description) == ["1 < 2"])
    }
}
