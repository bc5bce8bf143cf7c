import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import FeedFormats

/// The URLs of one item that lead to the same image.
@Suite struct SizeMarkTests {
    private func identity(_ address: String) throws -> ImageIdentity {
        ImageIdentity(of: try ResourceURL("https://\(address)"))
    }

    @Test(
        "each size mark recognises its examples as one image in ascending order",
        arguments: SizeMark.table)
    func rows(row: SizeMark) throws {
        let found = try row.examples.map(identity)
        #expect(Set(found.map(\.key)).count == 1, "\(found.map(\.key))")
        #expect(found.map(\.size) == found.map(\.size).sorted())
        #expect(Set(found.map(\.size)).count == found.count)
    }

    @Test("each size mark is needed: without it, its examples are several images", arguments: SizeMark.table)
    func need(row: SizeMark) throws {
        let keys = row.examples.map { address in
            var parts = ImageURLParts(address[...])
            for other in SizeMark.table where other.what != row.what { _ = other.take(&parts) }
            return parts.text
        }
        #expect(Set(keys).count > 1)
    }

    @Test(
        "URLs that differ in more than size marks are two images",
        arguments: [
            ("b.example/1.jpg", "b.example/2.jpg"), ("b.example/p-1.jpg", "b.example/p-2.jpg"),
            ("b.example/p?id=1", "b.example/p?id=2"), ("b.example/2026/11/p.jpg", "b.example/2026/10/p.jpg"),
            ("b.example/a/p.jpg", "c.example/a/p.jpg"), ("b.example/p_b.jpg", "b.example/p_m.jpg"),
            ("b.example/p-150.jpg", "b.example/p-151.jpg"), ("b.example/s/p.jpg", "b.example/t/p.jpg"),
            ("b.example/IMG_1024.jpg", "b.example/IMG_1025.jpg"), ("b.example/12px.jpg", "b.example/13px.jpg"),
        ])
    func different(one: String, other: String) throws {
        #expect(try identity(one).key != identity(other).key)
    }

    @Test(
        "an image that an item names twice is one image with its best rendition first",
        arguments: [
            ("<img src=/p-300x200.jpg><img src=/p.jpg>", ["/p.jpg /p-300x200.jpg"]),
            ("<img src=/p.jpg?w=900><img src=/p.jpg?w=300>", ["/p.jpg?w=900 /p.jpg?w=300"]),
            ("<img src=/p.jpg><img src=/q.jpg><img src=/p@2x.jpg>", ["/p@2x.jpg /p.jpg", "/q.jpg"]),
            ("<img src=/p.jpg><img src=/p.jpg>", ["/p.jpg"]),
            ("<a href=/p.jpg><img src=/p-300w.jpg></a><img src=/p-640w.jpg>", ["/p.jpg /p-300w.jpg /p-640w.jpg"]),
        ])
    func once(html: String, expected: [String]) throws {
        #expect(try RenditionTests.addresses(html) == expected)
    }

    @Test(
        "an image of Media RSS and its mention in the text are one image, whose larger rendition comes first",
        arguments: [
            ("/I.jpg?format=1500w", "<img src=/I.jpg?format=1000w>", ["/I.jpg?format=1500w /I.jpg?format=1000w"]),
            ("/I.jpg", "<img src=/I.jpg?format=300w>", ["/I.jpg /I.jpg?format=300w"]),
            ("/I.jpg", "<img src=/I.jpg?auto=format>", ["/I.jpg /I.jpg?auto=format"]),
            ("/I-1500x900.jpg", "<img src=/I-2000x1200.jpg>", ["/I-2000x1200.jpg /I-1500x900.jpg"]),
            ("/I-1500x900.jpg", "<img src=/I.jpg>", ["/I.jpg /I-1500x900.jpg"]),
            (
                "/one.jpg", "<img src=/two.jpg><img data-orig-file=/one.jpg src=/two.jpg>", ["/one.jpg /two.jpg"]
            ),
        ])
    func stated(media: String, html: String, expected: [String]) throws {
        let text = """
            <rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item>
            <media:content url="https://b.example\(media)" width="1500" height="900"/>
            <description><![CDATA[\(html)]]></description></item></channel></rss>
            """
        let images = try FeedDecoder().decode(Array(text.utf8), from: .known("https://b.example/")).images
        let found = images.map { image in
            ([image.url] + image.alternatives).map { $0.text.replacing("https://b.example", with: "") }
                .joined(separator: " ")
        }
        #expect(found == expected)
    }

    @Test("Flickr's largest renditions are recognised despite their other secret") func secrets() throws {
        let images = try RenditionTests.addresses(
            "<img src=https://live.staticflickr.com/1/53_5e_m.jpg><img src=https://live.staticflickr.com/1/53_9f_o.jpg>"
                + "<img src=https://live.staticflickr.com/1/54_5e_m.jpg>")
        #expect(
            images == [
                "https://live.staticflickr.com/1/53_9f_o.jpg https://live.staticflickr.com/1/53_5e_m.jpg",
                "https://live.staticflickr.com/1/54_5e_m.jpg",
            ])
    }

    @Test("images of Media RSS that differ only in their sides are one image")
    func sides() throws {
        let text = """
            <rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item>
            <media:content url="https://b.example/7/140.jpg" width="140" height="84"/>
            <media:content url="https://b.example/7/460.jpg" width="460" height="276"/>
            <media:content url="https://b.example/8/460.jpg" width="460" height="276"/>
            </item></channel></rss>
            """
        let images = try FeedDecoder().decode(Array(text.utf8), from: .known("https://b.example/")).images
        #expect(images.map(\.url.text) == ["https://b.example/7/460.jpg", "https://b.example/8/460.jpg"])
        #expect(images.map { $0.alternatives.map(\.text) } == [["https://b.example/7/140.jpg"], []])
    }
}
