import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct MediaRSSTests {
    private func decode(_ item: String) throws -> DecodedFeed {
        let text = "<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item>\(item)</item></channel></rss>"
        return try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/")))
    }

    private func names(_ item: String) throws -> [Substring] {
        try decode(item).feed.images.map { $0.url.text.dropFirst("https://h.example/".count) }
    }

    @Test(
        "the largest usable rendition of a Media RSS group counts, among equals the default or the first",
        arguments: [
            ("url='a.png' width='10' height='10'", "url='b.png' width='20' height='20'", "b.png"),
            ("url='a.png' width='10' height='10'", "url='ftp://h/b.png' width='20' height='20'", "a.png"),
            ("url='a.png' width='10' height='10'", "url='data:image/png;base64,AA' width='9' height='90'", "a.png"),
            ("url='a.png'", "url='http://[/b.png' width='20' height='20'", "a.png"),
            ("url='a.png' width='10' height='10'", "url='b.png' width='10' height='10' isDefault='true'", "b.png"),
            ("url='a.png' width='10' height='10'", "url='b.png' width='5' height='20'", "a.png"),
            ("url='a.png' width='5' height='5' isDefault='true'", "url='b.png' width='9' height='9'", "b.png"),
            ("url='a.png'", "url='b.png' isDefault='true'", "b.png"), ("url='a.png'", "url='b.png'", "a.png"),
            ("url='a.png'", "url='b.png' width='-5' height='-5'", "a.png"),
            ("url='a.png' width='1' height='1'", "url='b.png' width='1e300' height='1e8'", "a.png"),
            ("url='a.png' width='1' height='1'", "url='b.png' width='inf' height='9'", "a.png"),
            ("url='a.png' width='1' height='1'", "url='b.png' width='nan' height='9'", "a.png"),
            ("url='a.png' width='10' height='10'", "url='b.png' width=' 1000' height='1000 '", "b.png"),
            ("url='a.png' width='100'", "url='b.png' width='700'", "b.png"),
            ("url='a.png' height='700'", "url='b.png' height='100'", "a.png"),
            ("url='a.png' width='100' height='100'", "url='b.png' height='101'", "b.png"),
            ("url='a.png' width='1' isDefault='true'", "url='b.png' height='2'", "b.png"),
        ])
    func group(first: String, second: String, expected: String) throws {
        let group = "<media:group><media:content \(first)/><media:content \(second)/></media:group>"
        #expect(try names(group) == [expected[...]])
        #expect(try decode(group).notes == [])
    }

    @Test("a Media RSS image takes its description from its best rendition, another rendition or the group")
    func wordsOfRenditions() throws {
        let words = "<media:title>Own</media:title>"
        for (large, small, group, expected) in [
            (words, "", "Group", "Own"), ("", words, "", "Own"), ("", "", "Group", "Group"),
        ] {
            let large = "<media:content url='b.png' width='9' height='9'>\(large)</media:content>"
            let decoded = try decode(
                "<media:group><media:content url='a.png'>\(small)</media:content>\(large)"
                    + "<media:title>\(group)</media:title></media:group>")
            #expect(decoded.feed.images.map(\.description) == [expected])
        }
    }

    @Test("a Media RSS group without a usable rendition is noted as one skipped image")
    func uselessGroup() throws {
        let group = "<media:content url='ftp://h/a.png'/><media:content url='ftp://h/b.png' isDefault='true'/>"
        let notes = try decode("<media:group>\(group)</media:group>").notes
        #expect(notes == ["left out an image of item 1: \"ftp://h/b.png\": not an http(s) URL"])
    }

    @Test(
        "a media:content is an image by its medium, its type or its file name",
        arguments: [
            ("url='a' medium='image' type='application/octet-stream'", true), ("url='a' medium='Image'", true),
            ("url='a' medium='image' type='video/mp4'", false), ("url='a' type='image/png' medium='document'", true),
            ("url='a.png' type='video/mp4'", false), ("url='a.png' medium='video'", false), ("url='a.png'", true),
            ("url='a'", false), ("medium='image'", false), ("url='a.png' type='application/octet-stream'", true),
            ("url='a.png' type='jpg'", true), ("url='a.png' type='image'", true), ("url='a.mp4' type='video'", false),
            ("url='a.png' type=' '", true), ("url='a.png' type='application/octet-stream' medium='video'", false),
            ("url='a' type='application/octet-stream'", false), ("url='a' type='image'", true),
            ("url='a' type=' Image '", true), ("url='a' type='image/'", true), ("url='a' type='images'", false),
            ("url='a' width='6' height='4'", true), ("url='a?b.mp4' width='6' height='4'", true),
            ("url='a' width='6'", false), ("url='a' width='6' height='4' duration='9'", false),
            ("url='a' width='6' height='4' medium='video'", false), ("url='a.MP4' width='6' height='4'", false),
            ("url='a.png' medium='photo'", true), ("url='a' medium='image' width='6' height='4'", true),
            ("url='a' medium='photo'", false), ("url='a.mp4' medium='photo'", false),
            ("url='a.png' medium='document'", false), ("url='a.jpg' type='application/jpg'", true),
            ("url='a.png' type='img/png'", true), ("url='a' type='img/png'", false),
            ("url='a' width='6' height='4' type='video/mp4'", false), ("url='a.php' width='6' height='4'", true),
        ])
    func images(attributes: String, isImage: Bool) throws {
        #expect(try names("<media:content \(attributes)/>").isEmpty == !isImage)
    }

    @Test(
        "an enclosure is an image by its type or its file name",
        arguments: [
            ("url='a' type='image'", true), ("url='a' type='image/png'", true), ("url='a' type='IMAGE/x; q=1'", true),
            ("url='a' type='jpg'", false), ("url='a.jpg' type='audio/mpeg'", false), ("url='a.jpg'", true),
            ("url='http://e.jpg'", false), ("url='//e.jpg'", false), ("url='http://e.jpg/'", false),
            ("url='http://e.example//b.jpg'", true), ("url='b.jpg;jsessionid=1'", true), ("url='b;1.jpg'", true),
            ("url='b.mp3;a=1.5'", false), ("url='b%2Ejpg'", true), ("url='b%2ejp%67?x'", true), ("url='5%.jpg'", true),
            ("url='b.jpg/c'", false), ("url='b?c.jpg'", false), ("url='b#c.jpg'", false), ("url='jpg'", false),
            ("url='a.jpg' type='audio/\u{301}mpeg'", false), ("url='a' type='image/\u{301}png'", true),
        ])
    func enclosures(attributes: String, isImage: Bool) throws {
        #expect(try names("<enclosure \(attributes)/>").isEmpty == !isImage)
    }

    @Test(
        "a media:title or media:description is HTML unless its type is plain",
        arguments: [
            ("", "How to use &"), (" type='plain'", "How to use <picture> & <img>"),
            (" type='html'", "How to use &"),
        ])
    func words(type: String, expected: String) throws {
        for tag in ["media:title", "media:description"] {
            let text = "<\(tag)\(type)>How to use &lt;picture&gt; &amp; &lt;img&gt;</\(tag)>"
            #expect(try decode("<media:content url='a.png'/>\(text)").feed.images.map(\.description) == [expected])
        }
    }
}
