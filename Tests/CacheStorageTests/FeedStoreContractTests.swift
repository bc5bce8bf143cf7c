import TestDoubles
import TestSupport
import Testing

@Suite("Feed store contract")
struct FeedStoreContractTests {
    @Test("retrieving from an empty store delivers nothing", arguments: StoreKind.allCases)
    func retrievingFromEmptyDeliversNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingFromEmptyDeliversNothing()
    }

    @Test("retrieving twice from an empty store delivers nothing", arguments: StoreKind.allCases)
    func retrievingTwiceFromEmptyDeliversNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingTwiceFromEmptyDeliversNothing()
    }

    @Test("retrieving a feed delivers what was saved", arguments: StoreKind.allCases)
    func retrievingDeliversWhatWasSaved(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingDeliversWhatWasSaved()
    }

    @Test("retrieving a feed twice delivers the same", arguments: StoreKind.allCases)
    func retrievingTwiceDeliversTheSame(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingTwiceDeliversTheSame()
    }

    @Test("a failed retrieval throws", arguments: StoreKind.allCases)
    func failingToRetrieveThrows(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToRetrieveThrows()
    }

    @Test("a second failed retrieval throws again", arguments: StoreKind.allCases)
    func failingToRetrieveTwiceThrowsTwice(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToRetrieveTwiceThrowsTwice()
    }

    @Test("inserting a feed replaces the previous one", arguments: StoreKind.allCases)
    func insertingReplacesThePreviousFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().insertingReplacesThePreviousFeed()
    }

    @Test("a failed insertion leaves the previous feed", arguments: StoreKind.allCases)
    func failingToInsertLeavesThePreviousFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToInsertLeavesThePreviousFeed()
    }

    @Test("deleting from an empty store is no error", arguments: StoreKind.allCases)
    func deletingFromEmptyIsNoError(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingFromEmptyIsNoError()
    }

    @Test("deleting from an empty store leaves it empty", arguments: StoreKind.allCases)
    func deletingFromEmptyLeavesItEmpty(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingFromEmptyLeavesItEmpty()
    }

    @Test("deleting the only feed empties the store", arguments: StoreKind.allCases)
    func deletingEmptiesTheStore(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingEmptiesTheStore()
    }

    @Test("deleting a feed leaves other feeds", arguments: StoreKind.allCases)
    func deletingLeavesOtherFeeds(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingLeavesOtherFeeds()
    }

    @Test("a failed deletion leaves the feed", arguments: StoreKind.allCases)
    func failingToDeleteLeavesTheFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToDeleteLeavesTheFeed()
    }

    @Test("the timestamp of a feed is retrieved exactly", arguments: StoreKind.allCases)
    func timestampsComeBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().timestampsComeBackExact()
    }

    @Test("the texts of a feed are retrieved exactly", arguments: StoreKind.allCases)
    func textComesBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().textComesBackExact()
    }

    @Test("the item, the date and the alternatives of an image are retrieved exactly", arguments: StoreKind.allCases)
    func whatAnImageIsOfComesBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatAnImageIsOfComesBackExact()
    }

    @Test("the pages that items link to come back until they are replaced", arguments: StoreKind.allCases)
    func linkedPagesComeBackUntilTheyAreReplaced(_ kind: StoreKind) async throws {
        try await kind.feedStore().linkedPagesComeBackUntilTheyAreReplaced()
    }

    @Test("a feed without images is retrieved", arguments: StoreKind.allCases)
    func anEmptyFeedComesBack(_ kind: StoreKind) async throws {
        try await kind.feedStore().anEmptyFeedComesBack()
    }

    @Test("the images of a feed are retrieved in order", arguments: StoreKind.allCases)
    func imagesComeBackInOrder(_ kind: StoreKind) async throws {
        try await kind.feedStore().imagesComeBackInOrder()
    }

    @Test("credentials are retrieved with a feed and are no part of its key", arguments: StoreKind.allCases)
    func credentialsComeBackAndAreNoPartOfTheKey(_ kind: StoreKind) async throws {
        try await kind.feedStore().credentialsComeBackAndAreNoPartOfTheKey()
    }

    @Test("the new URL of a feed that has moved is retrieved until it is cleared", arguments: StoreKind.allCases)
    func whereAFeedHasMovedComesBackUntilItIsForgotten(_ kind: StoreKind) async throws {
        try await kind.feedStore().whereAFeedHasMovedComesBackUntilItIsForgotten()
    }

    @Test(
        "confirming a feed renews only its timestamp, validators, pages, credentials, new URL and rules",
        arguments: StoreKind.allCases)
    func confirmingRenewsWhatIsNotTheFeedAlone(_ kind: StoreKind) async throws {
        try await kind.feedStore().confirmingRenewsWhatIsNotTheFeedAlone()
    }

    @Test("a feed becomes a named feed when it is first named, and stays one", arguments: StoreKind.allCases)
    func aFeedThatNobodyNamedIsNamedFromTheFirstTimeOn(_ kind: StoreKind) async throws {
        try await kind.feedStore().aFeedThatNobodyNamedIsNamedFromTheFirstTimeOn()
    }

    @Test("the error of a feed is retrieved until the feed is saved again", arguments: StoreKind.allCases)
    func whatWasWrongWithAFeedIsToldUntilItIsSavedAgain(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatWasWrongWithAFeedIsToldUntilItIsSavedAgain()
    }

    @Test("confirming a feed that was never saved throws", arguments: StoreKind.allCases)
    func confirmingWhatWasNeverSavedThrows(_ kind: StoreKind) async throws {
        try await kind.feedStore().confirmingWhatWasNeverSavedThrows()
    }

    @Test("a change that throws leaves the store unchanged", arguments: StoreKind.allCases)
    func aChangeThatThrowsChangesNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().aChangeThatThrowsChangesNothing()
    }

    @Test("a change of the store returns the result of its work", arguments: StoreKind.allCases)
    func aChangeDeliversItsOutcome(_ kind: StoreKind) async throws {
        try await kind.feedStore().aChangeDeliversItsOutcome()
    }

    @Test("summaries of feeds are sorted by URL", arguments: StoreKind.allCases)
    func summariesComeByURL(_ kind: StoreKind) async throws {
        try await kind.feedStore().summariesComeByURL()
    }

    @Test("another instance of a feed store sees the same feeds", arguments: StoreKind.allCases)
    func anotherInstanceSeesTheSame(_ kind: StoreKind) async throws {
        try await kind.feedStore().anotherInstanceSeesTheSame()
    }

    @Test("changes of a store run one after another", arguments: StoreKind.allCases)
    func changesRunOneAfterAnother(_ kind: StoreKind) async throws {
        try await kind.feedStore().changesRunOneAfterAnother()
    }
}
