import FeedCore
import TestDoubles
import Testing

@Suite("Reported failure store contract")
struct ReportedFailureStoreContractTests {
    private static let failures = [
        failure(.second, .images, FailureCause(kind: .connectivity, status: nil, host: "dead.example:8080")),
        failure(.first, .feed, FailureCause(kind: .invalidData, status: 410, host: nil)),
        failure(.first, .images, FailureCause(kind: .notFound, status: nil, host: nil)),
    ]

    private static func failure(
        _ feed: ResourceURL, _ subject: ReportedFailure.Subject, _ cause: FailureCause
    ) -> ReportedFailure {
        ReportedFailure(feed: feed, subject: subject, cause: cause, reportedAt: Timestamp(microseconds: 5))
    }

    /// A store of feeds, and two stores of failures on the same data.
    private func stores(_ kind: StoreKind) async throws -> (feeds: any FeedStore, [any ReportedFailureStore]) {
        switch kind {
        case .inMemory:
            let cache = InMemoryCache()
            let store = InMemoryReportedFailureStore(cache)
            return (InMemoryFeedStore(cache), [store, store])
        case .onDisk:
            let scratch = try ScratchCache()
            let cache = try await scratch.open()
            return (cache.feeds, [cache.reportedFailures, try await scratch.open(.read).reportedFailures])
        }
    }

    @Test("replacing reported failures leaves only the new ones, in their order", arguments: StoreKind.allCases)
    func replacing(_ kind: StoreKind) async throws {
        let (feeds, stores) = try await stores(kind)
        for store in stores { #expect(try await store.retrieve() == []) }
        for feed in [ResourceURL.first, .second] { try await feeds.save(.sample(feed)) }
        for failures in [Self.failures, Self.failures.reversed(), [Self.failures[1]], []] {
            try await stores[0].replace(with: failures)
            for store in stores { #expect(try await store.retrieve() == failures) }
        }
    }

    @Test("reported failures belong to saved feeds, and a deleted feed takes them along", arguments: StoreKind.allCases)
    func unsaved(_ kind: StoreKind) async throws {
        let (feeds, stores) = try await stores(kind)
        try await feeds.save(.sample(.first))
        try await stores[0].replace(with: Self.failures)
        for store in stores { #expect(try await store.retrieve() == Array(Self.failures[1...])) }
        try await feeds.save(.sample(.first, savedAt: 2_000_000))
        for store in stores { #expect(try await store.retrieve().count == 2) }
        try await feeds.change { change throws(FeedError) in try change.delete(.first) }
        try await feeds.save(.sample(.first))
        for store in stores { #expect(try await store.retrieve() == []) }
    }
}
