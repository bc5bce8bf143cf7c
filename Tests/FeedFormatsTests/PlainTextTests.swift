import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The words of a title in HTML.
@Suite struct PlainTextTests {
    private static let titles: [(String, String)] = [
        ("<i>Hamlet</i>, Act 1", "Hamlet, Act 1"), ("<b>Bo</b>ld", "Bold"), ("<b>a</b><i>b</i>c", "abc"),
        ("<b>a</b> b", "a b"), ("a<b>b</b>c", "abc"), ("<p>a</p>b", "a b"), ("<b>a<p>b</p></b>c", "a b c"),
        ("</div><b>Bo</b>ld", "Bold"), ("<div><b>Bo</b>ld</div></div><b>Bo</b>ld", "Bold Bold"),
        ("<!-- x --><b>Bo</b>ld", "Bold"), ("<html><body><b>Bo</b>ld</body></html><b>Bo</b>ld", "BoldBold"),
        ("<img src=x><b>Bo</b>ld", "Bold"), ("&amp;<b>a</b>b", "&ab"), ("<b>a</b>&amp;b", "a&b"),
    ]

    @Test("words stay whole and lines stay separate when the tags of a title are removed", arguments: titles)
    func words(html: String, expected: String) throws {
        let escaped = html.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let rss = "<rss><channel><title>\(escaped)</title></channel></rss>"
        #expect(try FeedDecoder().decode(Array(rss.utf8), from: .first).title == expected)
        let atom = "<feed><title type='html'>\(escaped)</title></feed>"
        #expect(try FeedDecoder().decode(Array(atom.utf8), from: .first).title == expected)
    }
}
