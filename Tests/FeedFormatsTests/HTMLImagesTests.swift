import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The images of an HTML text and their descriptions.
@Suite struct HTMLImagesTests {
    private func images(_ html: String) throws -> [FeedImage] {
        let text =
            "<rss><channel><item><title>T</title><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/")).images
    }

    private func descriptions(_ html: String) throws -> [String?] { try images(html).map(\.description) }

    @Test(
        "an image is described by its title, else its figure's caption, else its alternative text",
        arguments: [
            ("<img src=a title=own alt=x>", ["own"]), ("<img src=a alt=x>", ["x"]), ("<img src=a>", ["T"]),
            ("<figure><figcaption>First</figcaption><img src=a></figure>", ["First"]),
            ("<figure><img src=a><figcaption>After</figcaption></figure>", ["After"]),
            ("<figure><img src=a alt=x><figcaption>Said</figcaption></figure>", ["Said"]),
            ("<figure><img src=a title=own><figcaption>Said</figcaption></figure>", ["own"]),
            ("<figure><img src=a alt=x><figcaption> </figcaption></figure>", ["x"]),
            ("<figure><img src=a><img src=b title=own><figcaption>Both</figcaption></figure>", ["Both", "own"]),
            ("<figure><figcaption>One</figcaption><img src=a><figcaption>Two</figcaption></figure>", ["One"]),
            ("<figure><img src=a><figcaption>A <b>word</b><br>more", ["A word more"]),
            ("<img src=a><figcaption>Of nothing</figcaption><img src=b>", ["T", "T"]),
            ("<figure><img src=a></figure><figure><figcaption>2</figcaption><img src=b></figure>", ["T", "2"]),
        ])
    func words(html: String, expected: [String]) throws {
        #expect(try descriptions(html) == expected)
    }

    @Test("the caption of a gallery is ignored by images with figures of their own")
    func nestedFigures() throws {
        let html = """
            <figure><figure><img src=a><figcaption>A</figcaption></figure><img src=b><figure><img src=c alt=c></figure>
            <figcaption>All</figcaption></figure><img src=d>
            """
        #expect(try descriptions(html) == ["A", "All", "c", "T"])
    }

    @Test(
        "elements that a browser does not show as images are skipped",
        arguments: ["textarea", "template", "iframe", "title", "xmp", "noembed", "noframes", "script", "style"])
    func inert(tag: String) throws {
        let html =
            "<img src=a><\(tag)><p><img src=no></p></\(tag)><img src=b><\(tag.uppercased())><img src=nor></\(tag)>"
        #expect(try images(html).map(\.url.text) == ["https://h.example/a", "https://h.example/b"])
    }

    @Test("nested templates end at their own end tags")
    func nestedTemplates() throws {
        let html = "<template><template><img src=a></template><img src=b></template><img src=c>"
        #expect(try images(html).map(\.url.text) == ["https://h.example/c"])
    }

    @Test("the content of a noscript element is read as an image")
    func noscript() throws {
        #expect(try images("<noscript><img src=a></noscript>").count == 1)
    }

    private func decoded(_ html: String) throws -> DecodedFeed {
        let text = "<rss><channel><item><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/")))
    }

    @Test(
        "an element without its end tag hides no image",
        arguments: ["<wbr>", "<source srcset='a>b'>", "<track src=a/b>", "<embed src=\"x\">", "<param name=a>"])
    func noEnd(tag: String) throws {
        let decoded = try decoded("<p>\(String(repeating: "x\(tag)", count: 40))<img src=a></p><img src=b>")
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a", "https://h.example/b"])
        #expect(decoded.notes == [])
    }

    @Test(
        "a comment ends at its end mark, whatever it contains",
        arguments: [
            "<!-- <wbr -->", "<!-- <source --!>", "<!--<embed<track-->", "<!---->", "<!--a>--->",
            "<!-- \" ' -->", "<!--!>-->", "<!--&period;-->", "<!--[if mso]><img src=x><wbr><![endif]-->",
            "<!--<script>-->", "<!-- <a \(String(repeating: "b ", count: 3000))-->",
        ])
    func comments(comment: String) throws {
        let decoded = try decoded("<p>\(comment)<img src=a></p>\(comment)<img src=b>")
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a", "https://h.example/b"])
        #expect(decoded.notes == [])
    }

    @Test(
        "a comment without its end mark hides the rest of the text",
        arguments: ["<!-- ", "<!--", "<!--!>", "<!-- ->", "<!-- <wbr>"])
    func endlessComment(start: String) throws {
        #expect(try images("<img src=a>\(start)<img src=b>").count == 1)
    }

    @Test(
        "a script or a style ends only at its own end tag",
        arguments: [
            "<script>var t = \"</p\"; x()</script>", "<STYLE>a</b</Style >", "<script src=a/>'</a'</script\n>",
            "<script>'</p>' + '</scripts>' + '</'</script/>", "<script>\"<!-- <wbr\"</script>", "<script src='a'/>",
            "<script x='>'><\(String(repeating: "b ", count: 3000))</script>", "<script></script>", "<style/>",
        ])
    func scripts(script: String) throws {
        let decoded = try decoded("<p>\(script)<img src=a></p>\(script)<img src=b>")
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a", "https://h.example/b"])
        #expect(decoded.notes == [])
    }

    @Test(
        "a script without its end tag hides the rest of the text",
        arguments: ["<script>", "<style>a</p>", "<script></scripts>"])
    func endlessScript(start: String) throws {
        #expect(try images("<img src=a>\(start)<img src=b>").count == 1)
    }

    @Test(
        "a slash ends a tag but belongs to an unquoted value",
        arguments: [
            ("<img\n / src = /a/b.jpg>", "a/b.jpg"), ("<img src=/a/ alt=x>", "a/"), ("<img src='a/ /b'/>", "a/%20/b"),
            ("<img alt=x/y src=//h.example/a//b>", "a//b"), ("<img alt=\"'/\" src=a/>", "a/"), ("<img src='a'/ >", "a"),
            ("<a href=http://x/y>z</a> 1/2 <img alt='x'src='https://h.example/a'>", "a"),
        ])
    func slashes(html: String, path: String) throws {
        let decoded = try decoded(html)
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/\(path)"])
    }

    @Test("attributes are counted with and without space between them", arguments: ["", " "])
    func tooManyAttributes(space: String) throws {
        func tag(_ count: Int) -> String {
            "<p title='>' " + (0..<count).map { "a\($0)=\"x\"\(space)" }.joined() + ">"
        }
        let most = try decoded("<img src=a>\(tag(240))<img src=b>")
        #expect(most.feed.images.count == 2)
        #expect(most.notes == [])
        let decoded = try decoded("<img src=a>\(tag(250))<img src=b>")
        #expect(decoded.feed.images.count == 1)
        #expect(decoded.notes == ["left out the rest of a text of item 1: a tag with more than 250 attributes"])
    }

    @Test(
        "a tag with too many attributes is found, whatever precedes it",
        arguments: ["<scripts>", "<style-x a='>'>", "<script/>", "<script async />", "</p x='>", "<?a '>"])
    func hiddenAttributes(start: String) throws {
        let tag = "<p \((0..<300).map { "a\($0)" }.joined(separator: " "))>"
        let decoded = try decoded("<img src=a>\(start)\(tag)<img src=b>")
        #expect(decoded.notes == ["left out the rest of a text of item 1: a tag with more than 250 attributes"])
    }

    @Test("HTML that is nested too deeply is skipped with a note")
    func tooDeep() throws {
        let decoded = try decoded("<img src=a>\(String(repeating: "<font>", count: 300))<img src=b>")
        #expect(decoded.feed.images.count == 1)
        #expect(decoded.notes == ["left out the rest of a text of item 1: HTML nested more than 256 deep"])
    }

    @Test(
        "a tag that the end of a shortened text cuts off is skipped",
        arguments: [
            "<img src=\"https://h.example/very/lo", "<img src=https://h.example/very/lo", "<img src='a' alt='b'",
            "<img", "<", "<img src=b.png /", "<p title='<img src=b.png>", "<img src=",
        ])
    func cutOff(end: String) throws {
        let decoded = try decoded("<img src=a>\(end)")
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a"])
        #expect(decoded.notes == [])
    }
}
