import TestDoubles
import TestSupport
import Testing

@Suite("Image store contract: failures")
struct FailureMemoryContractTests {
    @Test("no failure is remembered at first", arguments: StoreKind.allCases)
    func noFailureIsRememberedAtFirst(_ kind: StoreKind) async throws {
        try await kind.imageStore().noFailureIsRememberedAtFirst()
    }

    @Test("a failure comes back as it was", arguments: StoreKind.allCases)
    func aFailureComesBackAsItWas(_ kind: StoreKind) async throws {
        try await kind.imageStore().aFailureComesBackAsItWas()
    }

    @Test("failures in a row are counted, and the last stays", arguments: StoreKind.allCases)
    func failuresInARowAreCountedAndTheLastStays(_ kind: StoreKind) async throws {
        try await kind.imageStore().failuresInARowAreCountedAndTheLastStays()
    }

    @Test("a success ends the row", arguments: StoreKind.allCases)
    func aSuccessEndsTheRow(_ kind: StoreKind) async throws {
        try await kind.imageStore().aSuccessEndsTheRow()
    }

    @Test("confirming ends the row too", arguments: StoreKind.allCases)
    func confirmingEndsTheRow(_ kind: StoreKind) async throws {
        try await kind.imageStore().confirmingEndsTheRow()
    }

    @Test("a failure leaves the data that is there", arguments: StoreKind.allCases)
    func aFailureLeavesTheDataThatIsThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().aFailureLeavesTheDataThatIsThere()
    }

    @Test("failures of what no feed names are forgotten", arguments: StoreKind.allCases)
    func failuresOfWhatNoFeedNamesAreForgotten(_ kind: StoreKind) async throws {
        try await kind.imageStore().failuresOfWhatNoFeedNamesAreForgotten()
    }

    @Test("the inventory counts what failed and is not there", arguments: StoreKind.allCases)
    func theInventoryCountsWhatFailedAndIsNotThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().theInventoryCountsWhatFailedAndIsNotThere()
    }

    @Test("credentials are no part of a failure", arguments: StoreKind.allCases)
    func credentialsAreNoPartOfAFailure(_ kind: StoreKind) async throws {
        try await kind.imageStore().credentialsAreNoPartOfAFailure()
    }

    @Test("failing to remember throws and leaves what was there", arguments: StoreKind.allCases)
    func failingToRememberThrowsAndLeavesWhatWasThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToRememberThrowsAndLeavesWhatWasThere()
    }
}
