import FeedCore
import TestDoubles
import Testing

/// Every store of hosts' waits promises this.
@Suite("Host wait store contract")
struct HostWaitStoreContractTests {
    private static let first = HostWait(origin: "http://a.example:80", until: Timestamp(microseconds: 5))
    private static let second = HostWait(origin: "https://b.example:443", until: Timestamp(microseconds: -1))

    /// Two of them on the same data.
    private func stores(_ kind: StoreKind) async throws -> [any HostWaitStore] {
        switch kind {
        case .inMemory:
            let store = InMemoryHostWaitStore()
            return [store, store]
        case .onDisk:
            let scratch = try ScratchCache()
            let cache = try await scratch.open()
            return [cache.waits, try await scratch.open(.read).waits]
        }
    }

    @Test("is empty at first", arguments: StoreKind.allCases)
    func empty(_ kind: StoreKind) async throws {
        for store in try await stores(kind) { #expect(try await store.retrieve() == []) }
    }

    @Test("delivers what it was given, by origin, in place of what was there", arguments: StoreKind.allCases)
    func replacing(_ kind: StoreKind) async throws {
        let stores = try await stores(kind)
        for waits in [[Self.first], [Self.first, Self.second], [Self.second], []] {
            try await stores[0].replace(with: waits.reversed())
            for store in stores { #expect(try await store.retrieve() == waits) }
        }
    }
}
