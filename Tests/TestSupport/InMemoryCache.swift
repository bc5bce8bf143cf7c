internal import FeedCore
internal import Synchronization

/// What the in-memory stores of one cache share. Two stores on one of these are two instances on the same data.
package final class InMemoryCache: Sendable {
    struct Contents {
        var feeds: [String: SavedFeed] = [:]
        var images: [String: StoredImage] = [:]
        var failures: [String: RememberedFailure] = [:]
        var data: [Digest: [UInt8]] = [:]

        var namedURLs: Set<String> { Set(feeds.values.flatMap { $0.feed.images.map(\.url.text) }) }
    }

    private let contents = Mutex(Contents())

    package init() {}

    func withContents<Outcome: Sendable>(
        _ work: (inout Contents) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try contents.withLock { contents throws(FeedError) in try work(&contents) }
    }
}
