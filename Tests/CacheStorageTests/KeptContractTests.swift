import TestDoubles
import Testing

@Suite("A feed store keeps what left its feed")
struct KeptContractTests {
    @Test("behind what the feed names, newest first", arguments: StoreKind.allCases)
    func order(_ kind: StoreKind) async throws { try await kind.feedStore().keptImagesComeNewestFirst() }

    @Test("where the feed is replaced or confirmed", arguments: StoreKind.allCases)
    func replaced(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatIsKeptStaysWhereAFeedIsReplacedOrConfirmed()
    }

    @Test("until the feed is deleted", arguments: StoreKind.allCases)
    func deleted(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsKeptGoesWithTheFeed() }

    @Test("until it is named again", arguments: StoreKind.allCases)
    func namedAgain(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsNamedAgainIsTakenBack() }

    @Test("as far as it is told to", arguments: StoreKind.allCases)
    func covered(_ kind: StoreKind) async throws { try await kind.feedStore().whatIsNotCoveredIsLetGo() }

    @Test("and what it was told comes back", arguments: StoreKind.allCases)
    func told(_ kind: StoreKind) async throws { try await kind.feedStore().whatWasToldToKeepComesBack() }
}
