import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import FeedFormats

/// The selection of images by `--include` and `--exclude`.
@Suite struct ImageSelectionTests {
    private let rss = """
        <rss><channel><item><guid>1</guid><enclosure url="https://b.example/ad/1.jpg" type="image/jpeg"/>
        <description><![CDATA[<a href=/full/2.jpg><img src=/thumbs/2.jpg></a>]]></description></item></channel></rss>
        """
    private let essential = """
        {"items":[{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://b.example/ad/1.jpg"},
        {"id":"BA298A85-6275-48D3-8315-9C8F7C1CD109","image":"https://b.example/2.jpg"}]}
        """

    private func found(_ text: String, _ selection: ImageSelection) throws -> [String] {
        let source = FeedSource(bytes: Array(text.utf8), url: .known("https://b.example/"))
        return try FeedDecoder().decode(source, taking: selection).feed.images.map { image in
            "\(image.id) " + ([image.url] + image.alternatives).map { $0.text.dropFirst(18) }.joined(separator: " ")
        }
    }

    @Test(
        "an excluded image counts as absent from the feed",
        arguments: [
            (ImageSelection(), ["1 ad/1.jpg", "1#2 full/2.jpg thumbs/2.jpg"]),
            (ImageSelection(excludes: ["/ad/"]), ["1 full/2.jpg thumbs/2.jpg"]),
            (ImageSelection(excludes: ["/ad/", "^https://b.example/full"]), ["1 thumbs/2.jpg"]),
            (ImageSelection(includes: ["/full/", "/ad/"]), ["1 ad/1.jpg", "1#2 full/2.jpg"]),
            (ImageSelection(includes: ["2.jpg$"], excludes: ["thumbs"]), ["1 full/2.jpg"]),
            (ImageSelection(includes: ["nowhere"]), []),
        ])
    func chooses(selection: ImageSelection, expected: [String]) throws {
        #expect(try found(rss, selection) == expected)
    }

    @Test("an excluded image of an Essential feed leaves the feed valid")
    func essentialFormat() throws {
        #expect(
            try found(essential, ImageSelection(excludes: ["/ad/"])) == ["BA298A85-6275-48D3-8315-9C8F7C1CD109 2.jpg"])
    }

    @Test("the time for expressions covers all URLs of a feed together")
    func time() throws {
        // The clock advances by one second with each reading.
        let seconds = Mutex(0)
        let start = ContinuousClock.now
        let filter = try #require(
            ImageFilter(ImageSelection(excludes: ["/ad/"])) {
                start
                    + .seconds(
                        seconds.withLock { seconds in
                            defer { seconds += 1 }
                            return seconds
                        })
            })
        #expect(try filter.accepts([.known("https://b.example/1")]) == [true])
        let error = #expect(throws: DecodingFailure.self) {
            try filter.accepts(Array(repeating: .known("https://b.example/1"), count: 1000))
        }
        #expect(
            error == .invalid("the expressions of --include and --exclude took too long on the feed's image URLs"))
    }

    @Test("equal selections have equal rules, and different selections have different ones")
    func rules() {
        let all = [
            ImageSelection(), ImageSelection(all: true), ImageSelection(includes: ["a"]),
            ImageSelection(excludes: ["a"]),
            ImageSelection(includes: ["a", "b"]),
        ]
        #expect(Set(all.map(\.rules)).count == all.count)
    }
}
