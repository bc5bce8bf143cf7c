import FeedCore
import TestDoubles
import Testing

@Suite("Feed wait store contract")
struct FeedWaitStoreContractTests {
    private static let first = FeedWait(feed: .first, until: Timestamp(microseconds: 5))
    private static let second = FeedWait(feed: .second, until: Timestamp(microseconds: -1))

    /// Two stores on the same data.
    private func stores(_ kind: StoreKind) async throws -> [any FeedWaitStore] {
        switch kind {
        case .inMemory:
            let store = InMemoryFeedWaitStore()
            return [store, store]
        case .onDisk:
            let scratch = try ScratchCache()
            let cache = try await scratch.open()
            return [cache.waits, try await scratch.open(.read).waits]
        }
    }

    @Test("a new store of pauses is empty", arguments: StoreKind.allCases)
    func empty(_ kind: StoreKind) async throws {
        for store in try await stores(kind) { #expect(try await store.retrieve() == []) }
    }

    @Test("replacing pauses leaves only the new ones, sorted by URL", arguments: StoreKind.allCases)
    func replacing(_ kind: StoreKind) async throws {
        let stores = try await stores(kind)
        for waits in [[Self.first], [Self.first, Self.second], [Self.second], []] {
            try await stores[0].replace(with: waits.reversed())
            for store in stores { #expect(try await store.retrieve() == waits) }
        }
    }
}
