import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct BodyKindTests {
    private func message(_ body: [UInt8]) throws -> String {
        let error = try #require(throws: FeedError.self) {
            try FeedDecoder().decode(body, from: ResourceURL("http://h/"))
        }
        return error.message
    }

    @Test(
        "an HTML page in place of a feed is reported as an HTML page",
        arguments: [
            "<!DOCTYPE html><p>", "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "<html>", "\u{FEFF}\n <HTML>",
            "<head><title>x</title>", "<body>", "<!-- a --> <!-- b -->\n<!doctype html>",
        ])
    func htmlPages(text: String) throws {
        #expect(try message(Array(text.utf8)) == "no known feed format: the answer is an HTML page")
    }

    @Test(
        "an HTML page that links to a feed is reported with the feed's URL",
        arguments: [
            (#"<link rel="alternate" type="application/rss+xml" href="/feed.xml">"#, "http://h/feed.xml"),
            (#"<link href=https://f/ REL="Alternate home" TYPE="application/atom+xml">"#, "https://f/"),
            (
                #"<link rel=alternate type=text/html href=/x><link rel=alternate type=application/feed+json href=y>"#,
                "http://h/y"
            ),
        ])
    func namedFeed(link: String, feed: String) throws {
        let whole = "<!DOCTYPE html><html><head><title>A</title>\(link)</head><body>\(link)</body></html>"
        #expect(
            try message(Array(whole.utf8))
                == "no known feed format: the answer is an HTML page, which names the feed \(feed)")
    }

    @Test(
        "an HTML page's link to an invalid feed URL is omitted from the report",
        arguments: ["", "ftp://h/feed.xml", "file:///feed.xml"])
    func unusableFeed(href: String) throws {
        let page = #"<html><link rel="alternate" type="application/rss+xml" href="\#(href)"></html>"#
        #expect(try message(Array(page.utf8)) == "no known feed format: the answer is an HTML page")
    }

    @Test(
        "markup other than HTML is reported differently from an HTML page",
        arguments: [
            ("<p/>", "markup of no known kind: \"<p>\""),
            ("<?xml version=\"1.0\"?><!-- <html> -->\n<rdf/>", "markup of no known kind: \"<rdf>\""),
            ("<opml version=\"2.0\"><body/></opml>", "a subscription list (see --opml)"),
            ("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "an SVG image"),
            ("<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"/>", "an HTML page"),
        ])
    func otherMarkup(text: String, what: String) throws {
        #expect(try message(Array(text.utf8)) == "no known feed format: the answer is \(what)")
    }

    @Test(
        "malformed markup is reported with its line and column",
        arguments: ["<", "<!-- <html> -->", "<!--", "<!-- ", "<?xml version=\"1.0\"?>", "<!", "<rss", "<rss>"])
    func brokenMarkup(text: String) throws {
        #expect(try message(Array(text.utf8)).hasPrefix("line 1, column "))
    }

    @Test("a binary body is reported without its content")
    func binary() throws {
        #expect(try message([0x00]) == "no known feed format: the answer is binary data")
        #expect(try message([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).hasSuffix("is an image (image/png)"))
        #expect(try message([0xFE, 0xFF, 0, 0x7B]).hasSuffix("is in UTF-16, not UTF-8"))
        #expect(try message([0xFF, 0xFE, 0x0D, 0, 0x0A, 0, 0x7B, 0]).hasSuffix("is in UTF-16, not UTF-8"))
    }

    @Test("text that is no feed is quoted, shortened and escaped")
    func text() throws {
        let long = String(repeating: "long ", count: 1000)
        #expect(try message(Array(long.utf8)).hasSuffix("begins with \"\(long.prefix(40))…\""))
        #expect(try message(Array("\u{9B}2J\u{7F}".utf8)).hasSuffix(#"begins with "\u009b2J\u007f""#))
        #expect(try message([0x41, 0xE9]).hasSuffix("begins with \"A\u{FFFD}\""))
    }

    @Test("a body of white space is reported as such")
    func whitespace() throws {
        #expect(try message([UInt8](repeating: 0x20, count: 10_000)).hasSuffix("begins with white space only"))
    }
}
