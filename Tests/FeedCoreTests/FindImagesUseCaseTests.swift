import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Find images")
struct FindImagesUseCaseTests {
    private static let now = Timestamp(microseconds: 100_000_000)

    private func query(within age: MaxAge) async throws -> ImageQuery? {
        let search = ImageSearchSpy()
        let count = try await FindImages(search, now: { Self.now }).find(["a"], in: .first, within: age, limit: 7) {
            _ in
        }
        #expect(count == 0)
        return search.queries.first
    }

    @Test("an age becomes the moment that lies so far in the past") func age() async throws {
        let moment = Timestamp(microseconds: 40_000_000)
        let expected = ImageQuery(words: ["a"], feed: .first, after: moment, limit: 7)
        #expect(try await query(within: .span(.seconds(60))) == expected)
    }

    @Test("images of any age are searched without a limit of the age") func forever() async throws {
        #expect(try await query(within: .forever) == ImageQuery(words: ["a"], feed: .first, limit: 7))
    }
}

@Suite("The words of a search")
struct SearchWordsTests {
    private func matches(_ words: [String], title: String? = nil, _ texts: String...) -> Bool {
        var search = SearchWords(words)
        search.beginFeed(titled: title)
        search.beginImage()
        for text in texts {
            var text = text
            text.withUTF8 { search.look(in: $0) }
        }
        return search.isComplete
    }

    @Test(
        "case and accents are ignored",
        arguments: [
            ("zürich", "ZURICH"), ("Zurich", "zu\u{308}rich"), ("STRASSE", "Straße"), ("straße", "strasse"),
            ("ΌΣΟΣ", "οσος"), ("ЙОД", "иод"), ("café", "CAFE\u{301}"), ("I", "ı"), ("i", "İ"),
            ("한", "\u{1112}\u{1161}\u{11AB}"),
            ("𝒜", "𝒜"), ("🌍", "on 🌍 earth"), ("ộ", "O"),
        ])
    func folded(word: String, text: String) {
        #expect(matches([word], text))
        #expect(matches([text], word) || !text.hasPrefix(word) && text.contains(word))
    }

    @Test(
        "other letters stay different",
        arguments: [("a", "b"), ("zurich", "zuric"), ("漢", "字"), ("lodz", "łodz"), ("a b", "ab")])
    func different(word: String, text: String) {
        #expect(!matches([word], text))
    }

    @Test("each word may be in another text") func several() {
        #expect(matches(["red", "boat"], "A RED sail", "many boats"))
        #expect(!matches(["red", "boat"], "A red sail"))
        #expect(!matches(["redboat"], "red", "boat"))
    }

    @Test("the title of the feed counts for each image, and a text of one image only for that image") func title() {
        var search = SearchWords(["photo", "boat"])
        search.beginFeed(titled: "Daily photos")
        for (text, expected) in [("boat", true), ("bridge", false), ("a boat", true)] {
            search.beginImage()
            var text = text
            text.withUTF8 { search.look(in: $0) }
            #expect(search.isComplete == expected)
        }
        search.beginFeed(titled: nil)
        #expect(!search.isComplete)
    }

    @Test("every image matches a search without words") func noWords() {
        #expect(matches([]))
        #expect(matches([], "text"))
    }

    @Test("bytes that are not UTF-8 are searched too") func invalid() {
        var search = SearchWords(["boat"])
        search.beginFeed(titled: nil)
        ([0xFF, 0xC3] + Array("boat".utf8) + [0xE2, 0x82]).withUnsafeBufferPointer { search.look(in: $0) }
        #expect(search.isComplete)
    }
}
