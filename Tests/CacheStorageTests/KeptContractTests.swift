import TestDoubles
import Testing

@Suite("Kept items of a feed store")
struct KeptContractTests {
    @Test("kept items follow the current items, newest first", arguments: StoreKind.allCases)
    func order(_ kind: StoreKind) async throws { try await kind.feedStore().keptImagesComeNewestFirst() }

    @Test("kept items stay when their feed is replaced or confirmed", arguments: StoreKind.allCases)
    func replaced(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatIsKeptStaysWhereAFeedIsReplacedOrConfirmed()
    }

    @Test("kept items are deleted with their feed", arguments: StoreKind.allCases)
    func deleted(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsKeptGoesWithTheFeed() }

    @Test("a kept item that returns to its feed becomes a current item", arguments: StoreKind.allCases)
    func namedAgain(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsNamedAgainIsTakenBack() }

    @Test("items are kept as far as the limit of --keep allows", arguments: StoreKind.allCases)
    func covered(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsNotCoveredIsLetGo() }

    @Test("the value of --keep is retrieved as it was saved", arguments: StoreKind.allCases)
    func told(_ kind: StoreKind) async throws { try await kind.feedStore().whatWasToldToKeepComesBack() }
}
