import TestDoubles
import TestSupport
import Testing

@Suite("Feed store contract")
struct FeedStoreContractTests {
    @Test("retrieving from empty delivers nothing", arguments: StoreKind.allCases)
    func retrievingFromEmptyDeliversNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingFromEmptyDeliversNothing()
    }

    @Test("retrieving twice from empty delivers nothing", arguments: StoreKind.allCases)
    func retrievingTwiceFromEmptyDeliversNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingTwiceFromEmptyDeliversNothing()
    }

    @Test("retrieving delivers what was saved", arguments: StoreKind.allCases)
    func retrievingDeliversWhatWasSaved(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingDeliversWhatWasSaved()
    }

    @Test("retrieving twice delivers the same", arguments: StoreKind.allCases)
    func retrievingTwiceDeliversTheSame(_ kind: StoreKind) async throws {
        try await kind.feedStore().retrievingTwiceDeliversTheSame()
    }

    @Test("failing to retrieve throws", arguments: StoreKind.allCases)
    func failingToRetrieveThrows(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToRetrieveThrows()
    }

    @Test("failing to retrieve twice throws twice", arguments: StoreKind.allCases)
    func failingToRetrieveTwiceThrowsTwice(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToRetrieveTwiceThrowsTwice()
    }

    @Test("inserting replaces the previous feed", arguments: StoreKind.allCases)
    func insertingReplacesThePreviousFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().insertingReplacesThePreviousFeed()
    }

    @Test("failing to insert leaves the previous feed", arguments: StoreKind.allCases)
    func failingToInsertLeavesThePreviousFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToInsertLeavesThePreviousFeed()
    }

    @Test("deleting from empty is no error", arguments: StoreKind.allCases)
    func deletingFromEmptyIsNoError(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingFromEmptyIsNoError()
    }

    @Test("deleting from empty leaves it empty", arguments: StoreKind.allCases)
    func deletingFromEmptyLeavesItEmpty(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingFromEmptyLeavesItEmpty()
    }

    @Test("deleting empties the store", arguments: StoreKind.allCases)
    func deletingEmptiesTheStore(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingEmptiesTheStore()
    }

    @Test("deleting leaves other feeds", arguments: StoreKind.allCases)
    func deletingLeavesOtherFeeds(_ kind: StoreKind) async throws {
        try await kind.feedStore().deletingLeavesOtherFeeds()
    }

    @Test("failing to delete leaves the feed", arguments: StoreKind.allCases)
    func failingToDeleteLeavesTheFeed(_ kind: StoreKind) async throws {
        try await kind.feedStore().failingToDeleteLeavesTheFeed()
    }

    @Test("timestamps come back exact", arguments: StoreKind.allCases)
    func timestampsComeBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().timestampsComeBackExact()
    }

    @Test("text comes back exact", arguments: StoreKind.allCases)
    func textComesBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().textComesBackExact()
    }

    @Test("the post, the moment and the other places of an image come back exact", arguments: StoreKind.allCases)
    func whatAnImageIsOfComesBackExact(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatAnImageIsOfComesBackExact()
    }

    @Test("an empty feed comes back", arguments: StoreKind.allCases)
    func anEmptyFeedComesBack(_ kind: StoreKind) async throws {
        try await kind.feedStore().anEmptyFeedComesBack()
    }

    @Test("images come back in order", arguments: StoreKind.allCases)
    func imagesComeBackInOrder(_ kind: StoreKind) async throws {
        try await kind.feedStore().imagesComeBackInOrder()
    }

    @Test("credentials come back and are no part of the key", arguments: StoreKind.allCases)
    func credentialsComeBackAndAreNoPartOfTheKey(_ kind: StoreKind) async throws {
        try await kind.feedStore().credentialsComeBackAndAreNoPartOfTheKey()
    }

    @Test("where a feed has moved comes back until it is forgotten", arguments: StoreKind.allCases)
    func whereAFeedHasMovedComesBackUntilItIsForgotten(_ kind: StoreKind) async throws {
        try await kind.feedStore().whereAFeedHasMovedComesBackUntilItIsForgotten()
    }

    @Test(
        "confirming renews timestamp, validators, pages, credentials, place and rules alone",
        arguments: StoreKind.allCases)
    func confirmingRenewsWhatIsNotTheFeedAlone(_ kind: StoreKind) async throws {
        try await kind.feedStore().confirmingRenewsWhatIsNotTheFeedAlone()
    }

    @Test("a feed that nobody named is named from the first time on", arguments: StoreKind.allCases)
    func aFeedThatNobodyNamedIsNamedFromTheFirstTimeOn(_ kind: StoreKind) async throws {
        try await kind.feedStore().aFeedThatNobodyNamedIsNamedFromTheFirstTimeOn()
    }

    @Test("what was wrong with a feed is told until it is saved again", arguments: StoreKind.allCases)
    func whatWasWrongWithAFeedIsToldUntilItIsSavedAgain(_ kind: StoreKind) async throws {
        try await kind.feedStore().whatWasWrongWithAFeedIsToldUntilItIsSavedAgain()
    }

    @Test("confirming what was never saved throws", arguments: StoreKind.allCases)
    func confirmingWhatWasNeverSavedThrows(_ kind: StoreKind) async throws {
        try await kind.feedStore().confirmingWhatWasNeverSavedThrows()
    }

    @Test("a change that throws changes nothing", arguments: StoreKind.allCases)
    func aChangeThatThrowsChangesNothing(_ kind: StoreKind) async throws {
        try await kind.feedStore().aChangeThatThrowsChangesNothing()
    }

    @Test("a change delivers its outcome", arguments: StoreKind.allCases)
    func aChangeDeliversItsOutcome(_ kind: StoreKind) async throws {
        try await kind.feedStore().aChangeDeliversItsOutcome()
    }

    @Test("summaries come by URL", arguments: StoreKind.allCases)
    func summariesComeByURL(_ kind: StoreKind) async throws {
        try await kind.feedStore().summariesComeByURL()
    }

    @Test("another instance sees the same", arguments: StoreKind.allCases)
    func anotherInstanceSeesTheSame(_ kind: StoreKind) async throws {
        try await kind.feedStore().anotherInstanceSeesTheSame()
    }

    @Test("changes run one after another", arguments: StoreKind.allCases)
    func changesRunOneAfterAnother(_ kind: StoreKind) async throws {
        try await kind.feedStore().changesRunOneAfterAnother()
    }
}
