import TestDoubles
import TestSupport
import Testing

@Suite("Image store contract")
struct ImageStoreContractTests {
    @Test("an unknown image URL is not found", arguments: StoreKind.allCases)
    func anUnknownURLIsNotFound(_ kind: StoreKind) async throws {
        try await kind.imageStore().anUnknownURLIsNotFound()
    }

    @Test("image data is read as it was published", arguments: StoreKind.allCases)
    func dataComesBackAsItWasPublished(_ kind: StoreKind) async throws {
        try await kind.imageStore().dataComesBackAsItWasPublished()
    }

    @Test("the metadata of an image is found as it was published", arguments: StoreKind.allCases)
    func whatIsKnownOfAnImageComesBack(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatIsKnownOfAnImageComesBack()
    }

    @Test("every image type is found as it was published", arguments: StoreKind.allCases)
    func everyTypeComesBack(_ kind: StoreKind) async throws {
        try await kind.imageStore().everyTypeComesBack()
    }

    @Test("images are found in the order of the request", arguments: StoreKind.allCases)
    func findingAnswersInTheOrderAsked(_ kind: StoreKind) async throws {
        try await kind.imageStore().findingAnswersInTheOrderAsked()
    }

    @Test("finding no images returns an empty list", arguments: StoreKind.allCases)
    func findingNothingAnswersNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().findingNothingAnswersNothing()
    }

    @Test("the last image published for a URL wins", arguments: StoreKind.allCases)
    func theLastInsertWins(_ kind: StoreKind) async throws {
        try await kind.imageStore().theLastInsertWins()
    }

    @Test("the last image for a URL within a batch wins", arguments: StoreKind.allCases)
    func theLastOfAURLInABatchWins(_ kind: StoreKind) async throws {
        try await kind.imageStore().theLastOfAURLInABatchWins()
    }

    @Test("equal bytes under two URLs are stored once", arguments: StoreKind.allCases)
    func equalBytesAreKeptOnce(_ kind: StoreKind) async throws {
        try await kind.imageStore().equalBytesAreKeptOnce()
    }

    @Test("equal bytes within a batch are stored once", arguments: StoreKind.allCases)
    func equalBytesInOneBatchAreKeptOnce(_ kind: StoreKind) async throws {
        try await kind.imageStore().equalBytesInOneBatchAreKeptOnce()
    }

    @Test("the chunks of an image are joined", arguments: StoreKind.allCases)
    func chunksArePutTogether(_ kind: StoreKind) async throws {
        try await kind.imageStore().chunksArePutTogether()
    }

    @Test("credentials are no part of an image's key", arguments: StoreKind.allCases)
    func credentialsAreNoPartOfTheKey(_ kind: StoreKind) async throws {
        try await kind.imageStore().credentialsAreNoPartOfTheKey()
    }

    @Test("a staged image is not found before it is published", arguments: StoreKind.allCases)
    func whatIsStagedIsNotFound(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatIsStagedIsNotFound()
    }

    @Test("a discarded image fails without the others of its batch", arguments: StoreKind.allCases)
    func anImageThrownAwayFailsAlone(_ kind: StoreKind) async throws {
        try await kind.imageStore().anImageThrownAwayFailsAlone()
    }

    @Test("an image without bytes fails without the others of its batch", arguments: StoreKind.allCases)
    func anImageWithNoBytesFailsAlone(_ kind: StoreKind) async throws {
        try await kind.imageStore().anImageWithNoBytesFailsAlone()
    }

    @Test("a failed search for images throws", arguments: StoreKind.allCases)
    func failingToFindThrows(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToFindThrows()
    }

    @Test("a failed publication throws and leaves earlier images unchanged", arguments: StoreKind.allCases)
    func failingToPublishThrowsAndLeavesWhatWasThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToPublishThrowsAndLeavesWhatWasThere()
    }

    @Test("damaged image data is never delivered", arguments: StoreKind.allCases)
    func damagedDataIsNeverDelivered(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedDataIsNeverDelivered()
    }

    @Test("an image file can be read from any offset", arguments: StoreKind.allCases)
    func filesAreReadFromAnyPlace(_ kind: StoreKind) async throws {
        try await kind.imageStore().filesAreReadFromAnyPlace()
    }

    @Test("an image file is placed at a path only if the path is unused", arguments: StoreKind.allCases)
    func filesArePlacedElsewhereAndOverNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().filesArePlacedElsewhereAndOverNothing()
    }

    @Test("a damaged image file is not opened", arguments: StoreKind.allCases)
    func damagedFilesAreNotOpened(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedFilesAreNotOpened()
    }

    @Test("an empty image store gives access to its files", arguments: StoreKind.allCases)
    func anEmptyStoreHasFilesToo(_ kind: StoreKind) async throws {
        try await kind.imageStore().anEmptyStoreHasFilesToo()
    }

    @Test("damaged image data is removed", arguments: StoreKind.allCases)
    func damagedDataIsRemoved(_ kind: StoreKind) async throws {
        try await kind.imageStore().damagedDataIsRemoved()
    }

    @Test("image data that no feed references is removed", arguments: StoreKind.allCases)
    func whatNoFeedNamesIsRemoved(_ kind: StoreKind) async throws {
        try await kind.imageStore().whatNoFeedNamesIsRemoved()
    }

    @Test("bytes that another URL shares stay when one URL is removed", arguments: StoreKind.allCases)
    func bytesThatAnotherURLSharesStay(_ kind: StoreKind) async throws {
        try await kind.imageStore().bytesThatAnotherURLSharesStay()
    }

    @Test("a dry run removes no images", arguments: StoreKind.allCases)
    func aDryRunRemovesNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().aDryRunRemovesNothing()
    }

    @Test("replacing a feed keeps the data of its images", arguments: StoreKind.allCases)
    func replacingAFeedKeepsImageData(_ kind: StoreKind) async throws {
        try await kind.imageStore().replacingAFeedKeepsImageData()
    }

    @Test("confirming an image keeps its data and renews its validators", arguments: StoreKind.allCases)
    func confirmingKeepsTheDataAndRenewsWhatChanged(_ kind: StoreKind) async throws {
        try await kind.imageStore().confirmingKeepsTheDataAndRenewsWhatChanged()
    }

    @Test("the inventory counts the images that have data", arguments: StoreKind.allCases)
    func theInventoryCountsWhatIsThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().theInventoryCountsWhatIsThere()
    }

    @Test("another instance of an image store sees the same images", arguments: StoreKind.allCases)
    func anotherInstanceSeesTheSame(_ kind: StoreKind) async throws {
        try await kind.imageStore().anotherInstanceSeesTheSame()
    }

    @Test(
        "an item that awaits data gets the next data of its URL, and earlier items keep theirs",
        arguments: StoreKind.allCases)
    func anItemThatAwaitsDataGetsTheNextAndEarlierItemsKeepTheirs(_ kind: StoreKind) async throws {
        try await kind.imageStore().anItemThatAwaitsDataGetsTheNextAndEarlierItemsKeepTheirs()
    }

    @Test("a confirmation or equal bytes end the waiting of an item", arguments: StoreKind.allCases)
    func dataThatIsConfirmedOrTheSameEndsTheWaiting(_ kind: StoreKind) async throws {
        try await kind.imageStore().dataThatIsConfirmedOrTheSameEndsTheWaiting()
    }

    @Test("a kept item keeps its data when its URL gets other data", arguments: StoreKind.allCases)
    func withoutAnItemThatAwaitsDataOnlyKeptItemsKeepTheirs(_ kind: StoreKind) async throws {
        try await kind.imageStore().withoutAnItemThatAwaitsDataOnlyKeptItemsKeepTheirs()
    }

    @Test("an item whose id changes keeps the data that it has of its own", arguments: StoreKind.allCases)
    func anItemWithAnotherIDKeepsItsOwnData(_ kind: StoreKind) async throws {
        try await kind.imageStore().anItemWithAnotherIDKeepsItsOwnData()
    }

    @Test("an item whose URL has no data awaits nothing", arguments: StoreKind.allCases)
    func anItemWithoutDataUnderItsURLAwaitsNothing(_ kind: StoreKind) async throws {
        try await kind.imageStore().anItemWithoutDataUnderItsURLAwaitsNothing()
    }

    @Test("a feed has neither the data nor the failures of another feed", arguments: StoreKind.allCases)
    func anotherFeedHasNoneOfTheData(_ kind: StoreKind) async throws {
        try await kind.imageStore().anotherFeedHasNoneOfTheData()
    }
}
