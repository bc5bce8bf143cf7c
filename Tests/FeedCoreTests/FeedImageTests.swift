import FeedCore
import TestDoubles
import Testing

@Suite struct FeedImageTests {
    @Test("differs from one whose texts have other bytes, though they look alike: such a feed has changed")
    func bytes() {
        let url = ResourceURL.image(1)
        let images = [
            FeedImage(id: "\u{E9}", description: "a", url: url), FeedImage(id: "e\u{301}", description: "a", url: url),
            FeedImage(id: "\u{E9}", description: "\u{E9}", url: url),
            FeedImage(id: "\u{E9}", description: "e\u{301}", url: url),
            FeedImage(id: "\u{E9}", description: "a", location: "\u{E9}", url: url),
            FeedImage(id: "\u{E9}", description: "a", location: "e\u{301}", url: url),
            FeedImage(id: "\u{E9}", description: "", url: url), FeedImage(id: "\u{E9}", url: url),
            FeedImage(id: "\u{E9}", description: "a", url: .image(2)),
            FeedImage(id: "\u{E9}", description: "a", url: .known("https://u@images.example/1.png")),
        ]
        #expect(Set(images).count == images.count)
        #expect(images[1] == FeedImage(id: "e\u{301}", description: "a", url: url))
    }
}
