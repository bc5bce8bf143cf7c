import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct JSONFeedTests {
    private func decode(_ members: String) throws -> DecodedFeed {
        let text = #"{"version":"https://jsonfeed.org/version/1.1",\#(members)}"#
        return try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/feed")))
    }

    @Test(
        "a JSON Feed of the wrong shape is refused with the path of the error",
        arguments: [
            (#""title":"T""#, "items: missing"), (#""items":{}"#, "items: not an array"),
            (#""items":null"#, "items: not an array"), (#""items":[],"items":[]"#, "items: given twice"),
            (#""items":[{"id":}]"#, "line 1, column 62: expected a value, found '}' (in items[0].id)"),
            (
                #""items":[],"title":"\uZZZZ""#,
                #"line 1, column 69: expected four hex digits after \u, found 'Z' (in title)"#
            ),
        ])
    func wrongShape(members: String, message: String) {
        let error = #expect(throws: FeedError.self) { try decode(members) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message == message)
    }

    @Test("a JSON Feed with a text that is cut inside an emoji is valid")
    func halfEmoji() throws {
        let decoded = try decode(#""title":"a\ud83d","items":[{"summary":"\ude00","image":"/a.png"}]"#)
        #expect(decoded.feed.title == "a\u{FFFD}")
        #expect(decoded.feed.images.count == 1)
    }

    @Test(
        "the titles of a JSON Feed are plain text", arguments: ["Vec<T> explained", "A &amp; B", "a <b> c", "&copy;"])
    func plainTitles(title: String) throws {
        let attachment = #"{"url":"/b.png","mime_type":"image/png","title":"\#(title)"}"#
        let decoded = try decode(
            #""title":"\#(title)","items":[{"title":" \#(title) ","image":"/a.png","attachments":[\#(attachment)]}]"#)
        #expect(decoded.feed.title == title)
        #expect(decoded.feed.images.map(\.description) == [title, title])
    }

    @Test(
        "an item of a JSON Feed that is no object is skipped with a note",
        arguments: ["null", "5", "\"x\"", "[]", "true"])
    func noObject(item: String) throws {
        let decoded = try decode(#""items":[{"image":"/a.png"},\#(item),{"image":"ftp://h/"},{"image":"/b.png"}]"#)
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a.png", "https://h.example/b.png"])
        #expect(
            decoded.notes == [
                "left out item 2: not an object", "left out an image of item 3: \"ftp://h/\": not an http(s) URL",
            ])
    }

    @Test("unknown members of a JSON Feed are skipped, whatever their values")
    func useless() throws {
        let decoded = try decode(
            #"""
            "title":7,"next_url":false,"items":[
            {"id":null,"title":[],"image":null,"banner_image":{},"attachments":"x","content_html":1},
            {"id":{},"image":"/a.png","attachments":[null,7,{},{"mime_type":"image/png"},{"url":"/b","mime_type":"image/png"}]},
            {"id":1.50,"image":""},{"id":-1e2,"image":"c.png"}]
            """#)
        #expect(decoded.feed.title == nil)
        #expect(decoded.nextPage == nil)
        #expect(
            decoded.feed.images.map(\.id) == ["https://h.example/a.png", "https://h.example/b", "-1e2"])
        #expect(decoded.itemStarts == [0, 2])
        #expect(decoded.notes == ["item 1 has no image", "item 3 (\"1.50\") has no image"])
    }

    @Test(
        "the version identifies a JSON Feed",
        arguments: [
            ("https://jsonfeed.org/version/1", Feed.Format.jsonFeed), ("http://JSONFeed.org/version/1.1", .jsonFeed),
            ("https://jsonfeed.org.evil.example/version/1", .essential), ("1.0", .jsonFeed), ("1.1", .jsonFeed),
            ("2", .essential), ("", .essential),
        ])
    func version(version: String, format: Feed.Format) throws {
        for text in [#"{"version":"\#(version)","items":[]}"#, #"{"items":[],"version":"\#(version)"}"#] {
            #expect(try FeedDecoder().decode(Array(text.utf8), from: .first).format == format)
        }
        #expect(try FeedDecoder().decode(Array(#"{"version":1,"items":[]}"#.utf8), from: .first).format == .jsonFeed)
    }

    @Test(
        "without a version, the members of the items identify a JSON Feed",
        arguments: [
            (#"{"url":"https://h.example/1"}"#, Feed.Format?.some(.jsonFeed)),
            (#"{"content_html":""}"#, .jsonFeed), (#"{"content_text":"x"}"#, .jsonFeed),
            (#"{"id":"1","image":"https://h.example/1.png","url":"https://h.example/1"}"#, .jsonFeed),
            (#"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","url":"https://h.example/1"}"#, .jsonFeed),
            (
                #"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://h.example/1.png","url":"/1"}"#,
                .essential
            ),
            (#"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":7,"content_text":"x"}"#, .jsonFeed),
            (#"{"id":"1","image":"https://h.example/1.png"}"#, nil), (#"{"content_html":null}"#, nil), ("7", nil),
        ])
    func members(item: String, format: Feed.Format?) {
        do throws(FeedError) {
            let feed = try FeedDecoder().decode(Array(#"{"items":[\#(item)]}"#.utf8), from: .first)
            #expect(feed.format == format)
        } catch {
            #expect(format == nil && error.kind == .invalidData)
        }
    }

    @Test("one bad item makes a feed of the Essential format invalid although it has links")
    func essential() {
        let good = #"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://h.example/1.png"}"#
        let bad = #"{"id":"2","image":"https://h.example/2.png","url":"https://h.example/2"}"#
        for items in ["\(good),\(bad)", "\(bad),\(good)"] {
            #expect(throws: FeedError.self) {
                try FeedDecoder().decode(Array(#"{"items":[\#(items)]}"#.utf8), from: .first)
            }
        }
    }

    @Test("a JSON Feed without a version that is cut off is reported as broken JSON")
    func brokenWithoutVersion() {
        let text = #"{"items":[{"id":"https://h.example/1","url":"https://h.example/1"},{"id"#
        let error = #expect(throws: FeedError.self) {
            try FeedDecoder().decode(Array(text.utf8), from: .first)
        }
        #expect(error?.message.contains("UUID") == false, "\(error?.message ?? "")")
    }
}
