import TestDoubles
import TestSupport
import Testing

@Suite("Image store contract: failures")
struct FailureMemoryContractTests {
    @Test("a new store remembers no failure", arguments: StoreKind.allCases)
    func noFailureIsRememberedAtFirst(_ kind: StoreKind) async throws {
        try await kind.imageStore().noFailureIsRememberedAtFirst()
    }

    @Test("a failure is retrieved as it was remembered", arguments: StoreKind.allCases)
    func aFailureComesBackAsItWas(_ kind: StoreKind) async throws {
        try await kind.imageStore().aFailureComesBackAsItWas()
    }

    @Test("successive failures are counted, and the last one is remembered", arguments: StoreKind.allCases)
    func failuresInARowAreCountedAndTheLastStays(_ kind: StoreKind) async throws {
        try await kind.imageStore().failuresInARowAreCountedAndTheLastStays()
    }

    @Test("a success clears the remembered failures", arguments: StoreKind.allCases)
    func aSuccessEndsTheRow(_ kind: StoreKind) async throws {
        try await kind.imageStore().aSuccessEndsTheRow()
    }

    @Test("confirming an image clears the remembered failures", arguments: StoreKind.allCases)
    func confirmingEndsTheRow(_ kind: StoreKind) async throws {
        try await kind.imageStore().confirmingEndsTheRow()
    }

    @Test("a failure leaves existing image data unchanged", arguments: StoreKind.allCases)
    func aFailureLeavesTheDataThatIsThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().aFailureLeavesTheDataThatIsThere()
    }

    @Test("failures of URLs that no feed references are forgotten", arguments: StoreKind.allCases)
    func failuresOfWhatNoFeedNamesAreForgotten(_ kind: StoreKind) async throws {
        try await kind.imageStore().failuresOfWhatNoFeedNamesAreForgotten()
    }

    @Test("the inventory counts failed images that have no data", arguments: StoreKind.allCases)
    func theInventoryCountsWhatFailedAndIsNotThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().theInventoryCountsWhatFailedAndIsNotThere()
    }

    @Test("a remembered failure contains no credentials", arguments: StoreKind.allCases)
    func credentialsAreNoPartOfAFailure(_ kind: StoreKind) async throws {
        try await kind.imageStore().credentialsAreNoPartOfAFailure()
    }

    @Test("a failed attempt to remember throws and leaves earlier failures unchanged", arguments: StoreKind.allCases)
    func failingToRememberThrowsAndLeavesWhatWasThere(_ kind: StoreKind) async throws {
        try await kind.imageStore().failingToRememberThrowsAndLeavesWhatWasThere()
    }
}
