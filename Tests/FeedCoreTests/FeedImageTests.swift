import FeedCore
import TestDoubles
import TestSupport
import Testing

/// A feed image keeps its texts in a page that it shares with its neighbours, which nobody is to notice.
@Suite struct FeedImageTests {
    private struct Texts: Sendable {
        let id: String
        var description: String?
        var location: String?
        var url: ResourceURL = .image(1)

        var image: FeedImage { FeedImage(id: id, description: description, location: location, url: url) }
    }

    private static let samples: [Texts] = [
        Texts(id: "1"), Texts(id: ""), Texts(id: "é\u{301}\0x", description: "", location: ""),
        Texts(id: "2", description: "d", location: "l", url: .known("https://user:p%40ss@h.example:8443/a?b#c")),
        Texts(id: "3", description: String(repeating: "long ", count: 50_000), url: .known("http://h.example/ü")),
        Texts(id: String(repeating: "i", count: 127), location: String(repeating: "l", count: 128)),
        Texts(id: "4", url: .known("file:///a%20b.png")), Texts(id: "5", url: .known("https://http.example/")),
    ]

    private func expect(_ image: FeedImage, _ texts: Texts) {
        #expect(image.id == texts.id)
        #expect(image.description == texts.description)
        #expect(image.location == texts.location)
        #expect(image.url == texts.url)
        #expect(image.url.scheme == texts.url.scheme)
        #expect(image.url.credentials == texts.url.credentials)
    }

    @Test("what went in comes out, of an image alone and of one among many")
    func roundTrip() {
        var images = FeedImages()
        let many = (0..<3000).map { Self.samples[$0 % Self.samples.count] }
        for texts in many {
            images.append(id: texts.id, description: texts.description, location: texts.location, url: texts.url)
        }
        #expect(images.count == many.count)
        let all = images.finish()
        #expect(all.count == many.count)
        for (image, texts) in zip(all, many) { expect(image, texts) }
        for texts in Self.samples { expect(texts.image, texts) }
        #expect(FeedImages().finish() == [])
    }

    @Test("two are equal if their texts are, wherever they lie")
    func equality() {
        var images = FeedImages()
        for texts in Self.samples + Self.samples {
            images.append(id: texts.id, description: texts.description, location: texts.location, url: texts.url)
        }
        let all = images.finish()
        #expect(Set(all).count == Self.samples.count)
        #expect(Array(all.prefix(Self.samples.count)) == Self.samples.map(\.image))
        #expect(Set(all) == Set(Self.samples.map(\.image)))
    }

    @Test("what differs in any text is another, also where the texts together are the same")
    func difference() {
        let url = ResourceURL.image(1)
        let images = [
            FeedImage(id: "ab", url: url), FeedImage(id: "a", description: "b", url: url),
            FeedImage(id: "a", location: "b", url: url), FeedImage(id: "ab", description: "", url: url),
            FeedImage(id: "ab", url: .image(2)), FeedImage(id: "ab", url: .known("https://u@images.example/1.png")),
        ]
        #expect(Set(images).count == images.count)
    }
}
