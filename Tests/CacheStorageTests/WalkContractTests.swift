import FeedCore
import TestDoubles
import Testing

@Suite("Open walks of a feed store")
struct WalkContractTests {
    @Test("open walks come back in their order until they are replaced", arguments: StoreKind.allCases)
    func order(_ kind: StoreKind) async throws { try await kind.feedStore().openWalksComeBackInOrder() }

    @Test("open walks are deleted with their feed", arguments: StoreKind.allCases)
    func deleted(_ kind: StoreKind) async throws { try await kind.feedStore().openWalksGoWithTheFeed() }

    @Test("the ids of current and kept images come back", arguments: StoreKind.allCases)
    func ids(_ kind: StoreKind) async throws { try await kind.feedStore().theIDsOfCurrentAndKeptImagesComeBack() }

    @Test("a saved next page whose URL is invalid is skipped")
    func invalid() async throws {
        let scratch = try ScratchCache()
        let cache = try await scratch.open()
        try await cache.feeds.save(.sample())
        try scratch.execute(
            """
            INSERT INTO walks (feed, position, url, page, guessed, ends_at_saved, begun)
            SELECT id, 0, 'nonsense', 2, 0, 0, 1 FROM feeds UNION SELECT id, 1, 'https://h.example/', -1, 0, 0, 1 FROM feeds
            UNION SELECT id, 2, 'https://h.example/', 2, 0, 0, 1 FROM feeds
            """)
        #expect(try await cache.feeds.retrieve(.first)?.walks.map(\.page.url.text) == ["https://h.example/"])
    }
}
