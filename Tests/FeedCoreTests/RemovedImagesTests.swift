import FeedCore
import TestDoubles
import Testing

@Suite("Removed images")
struct RemovedImagesTests {
    private static func url(_ name: String) -> ResourceURL { .known("https://images.example/\(name)") }

    private static func image(_ id: String, _ name: String, alternatives: [String] = []) -> FeedImage {
        FeedImage(id: id, url: url(name), alternatives: alternatives.map(url))
    }

    private static func removed(_ images: FeedImage...) -> RemovedImages {
        RemovedImages(images.map(RemovedImages.Removal.init))
    }

    private let removed = Self.removed(Self.image("7", "a.png?sig=1", alternatives: ["a-small.png"]))

    @Test("a removed image is covered under each of its URLs, in any item and with any credentials")
    func urls() {
        for name in ["a.png?sig=1", "a-small.png"] {
            #expect(removed.covers(Self.image("8", name)))
            #expect(removed.covers(Self.image("8", "b.png", alternatives: [name])))
        }
        let secret = ResourceURL.known("https://me:pw@images.example/a-small.png")
        #expect(removed.covers(FeedImage(id: "8", url: secret)))
        #expect(Self.removed(FeedImage(id: "7", url: secret)).entries[0].urls == [Self.url("a-small.png")])
    }

    @Test("a removed image is covered with another query, or none, only under the same id")
    func queries() {
        for name in ["a.png?sig=2", "a.png", "a-small.png?w=300", "a.png#top", "a.png?sig=2#top"] {
            #expect(removed.covers(Self.image("7", name)), "\(name)")
            #expect(!removed.covers(Self.image("7#2", name)), "\(name)")
        }
        for name in ["b.png?sig=1", "a.png/?sig=1", "A.png?sig=1", "a.pn?sig=1"] {
            #expect(!removed.covers(Self.image("7", name)), "\(name)")
        }
        #expect(!RemovedImages().covers(Self.image("7", "a.png?sig=1")))
    }

    @Test("ids are compared by their bytes")
    func bytes() {
        #expect(!Self.removed(Self.image("caf\u{E9}", "a?1")).covers(Self.image("cafe\u{301}", "a?2")))
    }

    @Test("removed images add up in any order, each once, and are listed by id and URL")
    func union() {
        let (one, two, three) = (
            Self.removed(Self.image("2", "a", alternatives: ["b", "c"])),
            Self.removed(Self.image("2", "b", alternatives: ["c", "a", "b"]), Self.image("10", "z")),
            Self.removed(Self.image("2", "a"))
        )
        let all = one.union(two).union(three)
        #expect(all == three.union(two).union(one))
        #expect(all.entries.map(\.id) == ["10", "2", "2"])
        #expect(all.entries.map { $0.urls.map(\.text) }.last == ["a", "b", "c"].map { Self.url($0).text })
        #expect(all.count == 3 && all.union(RemovedImages()) == all)
    }

    @Test("restoring an image takes all its entries out, and no others")
    func restoring() throws {
        let all = Self.removed(
            Self.image("1", "a", alternatives: ["b"]), Self.image("1", "c", alternatives: ["b"]),
            Self.image("1", "c?sig=9"), Self.image("2", "c?sig=8"), Self.image("3", "d"))
        for name in ["a", "b", "c", "c?sig=9"] {
            #expect(try #require(all.restoring(Self.url(name))).entries.map(\.id) == ["2", "3"], "\(name)")
        }
        #expect(all.restoring(Self.url("d"))?.count == 4)
        #expect(all.restoring(Self.url("c?sig=7")) == nil)
    }

    @Test("a long chain of entries is restored as one image")
    func chain() {
        let entries = (0..<10_000).map {
            RemovedImages.Removal(Self.image("\($0)", "\($0)", alternatives: ["\($0 + 1)"]))
        }
        #expect(RemovedImages(entries).restoring(Self.url("5000"))?.isEmpty == true)
    }
}
