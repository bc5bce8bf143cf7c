import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import FeedFormats

/// Images in a feed that are only decoration.
@Suite struct DecorationTests {
    private func decode(_ example: String, _ selection: ImageSelection = ImageSelection()) throws -> DecodedFeed {
        let image = !example.hasPrefix("<media") ? "<description><![CDATA[\(example)]]></description>" : example
        let text = """
            <rss xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
            <item><dc:creator>Ann Author</dc:creator>\(image)<enclosure url="https://b.example/p.jpg" type="image/jpeg"/></item>
            </channel></rss>
            """
        return try FeedDecoder().decode(
            FeedSource(bytes: Array(text.utf8), url: .known("https://b.example/")), taking: selection)
    }

    @Test("each decoration rule skips its example with a note", arguments: Decoration.table)
    func rows(row: Decoration) throws {
        let decoded = try decode(row.example)
        #expect(decoded.feed.images.map(\.url.text) == ["https://b.example/p.jpg"])
        #expect(decoded.notes.count == 1)
        #expect(decoded.notes.first?.hasSuffix(": \(row.what)") == true, "\(decoded.notes)")
    }

    @Test(
        "a film or a sound is no image, whatever its medium",
        arguments: [
            #"<media:content url="https://b.example/f.mp4" type="video/mp4" medium="image"/>"#,
            #"<media:content url="https://b.example/s.mp3" type="audio/mpeg" medium="image"/>"#,
        ])
    func films(markup: String) throws {
        #expect(try decode(markup).feed.images.map(\.url.text) == ["https://b.example/p.jpg"])
    }

    @Test("decoration is kept on request", arguments: Decoration.table)
    func all(row: Decoration) throws {
        let decoded = try decode(row.example, ImageSelection(all: true))
        #expect(decoded.feed.images.count == 2)
        #expect(decoded.notes == [])
    }

    @Test(
        "images that only resemble decoration are kept",
        arguments: [
            #"<img src="https://b.example/q.jpg" width="100%" height="10">"#,
            #"<img src="https://b.example/q.jpg" width="11">"#,
            #"<img src="https://b.example/q.jpg" style="display:inline-block">"#,
            #"<img src="https://b.example/q.jpg" class="emojis noavatar">"#,
            #"<img src="https://notgravatar.com/avatar/q.jpg">"#, #"<img src="https://gravatar.com/blog/q.jpg">"#,
            #"<img src="https://wp.com/q.jpg">"#, #"<img src="https://i0.wp.com/b.example/q.jpg">"#,
            #"<img src="https://b.example/q.jpg" width="60" height="60">"#,
            #"<img src="https://b.example/q.jpg" width="48" height="49">"#,
            #"<img src="https://b.example/q.jpg" width="48%" height="48%">"#,
            #"<img src="https://b.example/q.jpg" style="max-width:48px;max-height:48px">"#,
            #"<img src="https://b.example/~r/q.jpg">"#, #"<img src="https://b.example/ctas/q.jpg">"#,
            #"<img src="https://b.example/q.jpg" alt="Sunset">"#, #"<img src="https://b.example/p.php?id=7">"#,
            #"<a href="https://facebook.com/ann/photos/7"><img src="https://b.example/q.jpg"></a>"#,
            #"<img src="https://b.example/myfavicons.png">"#,
            #"<media:content url="https://feeds.feedburner.com/~r/Blog/~5/x7/q.jpg" type="image/jpeg"/>"#,
            #"<media:content url="https://b.example/rating/q.jpg" medium="image"/>"#,
        ])
    func images(html: String) throws {
        #expect(try decode(html).feed.images.count == 2)
    }
}
