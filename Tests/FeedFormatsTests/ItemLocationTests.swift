import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite("The location of an item") struct ItemLocationTests {
    private static let namespaces = """
        xmlns:georss='http://www.georss.org/georss' xmlns:gml='http://www.opengis.net/gml' \
        xmlns:geo='http://www.w3.org/2003/01/geo/wgs84_pos#'
        """

    @Test(
        "the location of an item is that of GeoRSS in any shape, and a name comes first",
        arguments: [
            ("<georss:point>45.2 -71.9</georss:point>", "45.2 -71.9"),
            ("<georss:line>1 2\n 3 4</georss:line>", "1 2 3 4"),
            ("<georss:polygon>1 2 3 4 5 6 1 2</georss:polygon>", "1 2 3 4 5 6 1 2"),
            ("<georss:box>1 2 3 4</georss:box>", "1 2 3 4"), ("<georss:circle>1 2 500</georss:circle>", "1 2 500"),
            ("<georss:point>1 2</georss:point><georss:featurename>Ulm</georss:featurename>", "Ulm"),
            ("<georss:where><gml:Point><gml:pos>1 2</gml:pos></gml:Point></georss:where>", "1 2"),
            ("<geo:lat>1</geo:lat><geo:long>2</geo:long>", "1 2"), ("<geo:lat>1</geo:lat>", nil),
        ] as [(String, String?)])
    func shapes(element: String, location: String?) throws {
        let item = "<item>\(element)<enclosure url='a.png'/></item>"
        let text = "<rss \(Self.namespaces)><channel>\(item)</channel></rss>"
        let source = FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/"))
        #expect(try FeedDecoder().decode(source).feed.images.map(\.location) == [location])
    }
}
