import FeedCore
import Testing

@Suite("What a failure says")
struct FeedErrorTests {
    private static let error = FeedError(.notFound, "gone").adding(", tried twice").hinting("look elsewhere")

    @Test("Named what it concerns, it has the rest of its story and its hint as before")
    func about() {
        let error = Self.error.about("the image")
        #expect(error.reason == "the image: gone")
        #expect(error.withoutHint == "the image: gone, tried twice")
        #expect(error.message == "the image: gone, tried twice; look elsewhere")
    }

    @Test("Said in other words, too")
    func saying() {
        #expect(Self.error.saying("not there").message == "not there, tried twice; look elsewhere")
    }
}
