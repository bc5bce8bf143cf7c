import TestDoubles
import TestSupport
import Testing

@Suite("Image store contract")
struct ImageStoreContractTests {
    @Test("an unknown URL is not found", arguments: StoreKind.allCases)
    func anUnknownURLIsNotFound(_ kind: StoreKind) async throws {
        try await kind.imageStore().anUnknownURLIsNotFound()
    }

    @Test("data comes back as it was published", arguments: StoreKind.allCases)
    func dataComesBackAsItWasPublished(_ kind: StoreKind) async throws {
        try await kind.imageStore().dataComesBackAsItWasPublished()
    }

    @Test("what is known of an image comes back", arguments: StoreKind.allCases)
    func whatIsKnownOfAnImageComesBack(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatIsKnownOfAnImageComesBack()
    }

    @Test("every type comes back", arguments: StoreKind.allCases)
    func everyTypeComesBack(_ kind: StoreKind) async throws {
        try await kind.imageStore().everyTypeComesBack()
    }

    @Test("finding answers in the order asked", arguments: StoreKind.allCases)
    func findingAnswersInTheOrderAsked(_ kind: StoreKind) async throws {
        try await kind.imageStore().findingAnswersInTheOrderAsked()
    }

    @Test("finding nothing answers nothing", arguments: StoreKind.allCases)
    func findingNothingAnswersNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().findingNothingAnswersNothing()
    }

    @Test("the last insert wins", arguments: StoreKind.allCases)
    func theLastInsertWins(_ kind: StoreKind) async throws {
        try await kind.imageStore().theLastInsertWins()
    }

    @Test("the last of a URL in a batch wins", arguments: StoreKind.allCases)
    func theLastOfAURLInABatchWins(_ kind: StoreKind) async throws {
        try await kind.imageStore().theLastOfAURLInABatchWins()
    }

    @Test("equal bytes are kept once", arguments: StoreKind.allCases)
    func equalBytesAreKeptOnce(_ kind: StoreKind) async throws {
        try await kind.imageStore().equalBytesAreKeptOnce()
    }

    @Test("equal bytes in one batch are kept once", arguments: StoreKind.allCases)
    func equalBytesInOneBatchAreKeptOnce(_ kind: StoreKind) async throws {
        try await kind.imageStore().equalBytesInOneBatchAreKeptOnce()
    }

    @Test("chunks are put together", arguments: StoreKind.allCases)
    func chunksArePutTogether(_ kind: StoreKind) async throws {
        try await kind.imageStore().chunksArePutTogether()
    }

    @Test("credentials are no part of the key", arguments: StoreKind.allCases)
    func credentialsAreNoPartOfTheKey(_ kind: StoreKind) async throws {
        try await kind.imageStore().credentialsAreNoPartOfTheKey()
    }

    @Test("what is staged is not found", arguments: StoreKind.allCases)
    func whatIsStagedIsNotFound(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatIsStagedIsNotFound()
    }

    @Test("an image thrown away fails alone", arguments: StoreKind.allCases)
    func anImageThrownAwayFailsAlone(_ kind: StoreKind) async throws {
        try await kind.imageStore().anImageThrownAwayFailsAlone()
    }

    @Test("an image with no bytes fails alone", arguments: StoreKind.allCases)
    func anImageWithNoBytesFailsAlone(_ kind: StoreKind) async throws {
        try await kind.imageStore().anImageWithNoBytesFailsAlone()
    }

    @Test("failing to find throws", arguments: StoreKind.allCases)
    func failingToFindThrows(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToFindThrows()
    }

    @Test("failing to publish throws and leaves what was there", arguments: StoreKind.allCases)
    func failingToPublishThrowsAndLeavesWhatWasThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToPublishThrowsAndLeavesWhatWasThere()
    }

    @Test("damaged data is never delivered", arguments: StoreKind.allCases)
    func damagedDataIsNeverDelivered(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedDataIsNeverDelivered()
    }

    @Test("files are read from any place", arguments: StoreKind.allCases)
    func filesAreReadFromAnyPlace(_ kind: StoreKind) async throws {
        try await kind.imageStore().filesAreReadFromAnyPlace()
    }

    @Test("files are placed elsewhere, and over nothing", arguments: StoreKind.allCases)
    func filesArePlacedElsewhereAndOverNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().filesArePlacedElsewhereAndOverNothing()
    }

    @Test("damaged files are not opened", arguments: StoreKind.allCases)
    func damagedFilesAreNotOpened(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedFilesAreNotOpened()
    }

    @Test("an empty store has files too", arguments: StoreKind.allCases)
    func anEmptyStoreHasFilesToo(_ kind: StoreKind) async throws {
        try await kind.imageStore().anEmptyStoreHasFilesToo()
    }

    @Test("damaged data is removed", arguments: StoreKind.allCases)
    func damagedDataIsRemoved(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedDataIsRemoved()
    }

    @Test("what no feed names is removed", arguments: StoreKind.allCases)
    func whatNoFeedNamesIsRemoved(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatNoFeedNamesIsRemoved()
    }

    @Test("bytes that another URL shares stay", arguments: StoreKind.allCases)
    func bytesThatAnotherURLSharesStay(_ kind: StoreKind) async throws {
        try await kind.imageStore().bytesThatAnotherURLSharesStay()
    }

    @Test("a dry run removes nothing", arguments: StoreKind.allCases)
    func aDryRunRemovesNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().aDryRunRemovesNothing()
    }

    @Test("replacing a feed keeps image data", arguments: StoreKind.allCases)
    func replacingAFeedKeepsImageData(_ kind: StoreKind) async throws {
        try await kind.imageStore().replacingAFeedKeepsImageData()
    }

    @Test("confirming keeps the data and renews what changed", arguments: StoreKind.allCases)
    func confirmingKeepsTheDataAndRenewsWhatChanged(_ kind: StoreKind) async throws {
        try await kind.imageStore().confirmingKeepsTheDataAndRenewsWhatChanged()
    }

    @Test("the inventory counts what is there", arguments: StoreKind.allCases)
    func theInventoryCountsWhatIsThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().theInventoryCountsWhatIsThere()
    }

    @Test("another instance sees the same", arguments: StoreKind.allCases)
    func anotherInstanceSeesTheSame(_ kind: StoreKind) async throws {
        try await kind.imageStore().anotherInstanceSeesTheSame()
    }

    @Test("a response for one feed leaves the validators of everybody's data", arguments: StoreKind.allCases)
    func responseForOneFeed(kind: StoreKind) async throws {
        try await kind.imageStore().aResponseForOneFeedLeavesTheValidatorsOfEverybodysData()
    }

    @Test("data that a server confirms under another URL is that feed's alone", arguments: StoreKind.allCases)
    func confirmedUnderAnotherURL(kind: StoreKind) async throws {
        try await kind.imageStore().dataConfirmedUnderAnotherURLIsThatFeedsAlone()
    }
}
