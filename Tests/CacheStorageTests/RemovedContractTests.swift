import TestDoubles
import Testing

@Suite("Removed images of a feed store")
struct RemovedContractTests {
    @Test("removed images leave the current and the kept items of their feed", arguments: StoreKind.allCases)
    func leave(_ kind: StoreKind) async throws { try await kind.feedStore().removedImagesLeaveTheirFeed() }

    @Test("removed images are remembered after their feed was deleted", arguments: StoreKind.allCases)
    func outlast(_ kind: StoreKind) async throws {
        try await kind.feedStore().removedImagesOutlastTheCopyOfANamedFeed()
    }

    @Test("images are found by their URL and by each alternative", arguments: StoreKind.allCases)
    func found(_ kind: StoreKind) async throws { try await kind.feedStore().imagesAreFoundByEachURL() }

    @Test("feeds are found by each URL of an image that was removed from them", arguments: StoreKind.allCases)
    func feeds(_ kind: StoreKind) async throws { try await kind.feedStore().feedsAreFoundByRemovedURLs() }

    @Test("a feed whose rules are forgotten keeps its images", arguments: StoreKind.allCases)
    func rules(_ kind: StoreKind) async throws {
        try await kind.feedStore().forgettingRulesHasTheWholeFeedRequested()
    }
}
