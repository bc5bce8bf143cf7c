package import FeedCore
internal import Synchronization

/// What the in-memory stores of one cache share. Two stores on one of these are two instances on the same data.
package final class InMemoryCache: Sendable {
    struct Contents {
        var feeds: [String: SavedFeed] = [:]
        var images: [String: StoredImage] = [:]
        var failures: [String: RememberedFailure] = [:]
        var data: [Digest: [UInt8]] = [:]

        func isWhole(_ digest: Digest) -> Bool { data[digest].map(InMemoryImageStore.digest) == digest }

        var namedURLs: Set<String> { Set(feeds.values.flatMap { $0.feed.images.map(\.url.text) }) }
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// Puts other bytes in place of some that are there, under their name.
    package func swapData(_ bytes: [UInt8], _ other: [UInt8]) throws(FeedError) {
        try withContents { contents throws(FeedError) in
            contents.data[InMemoryImageStore.digest(of: bytes)] = other
        }
    }

    func withContents<Outcome: Sendable>(
        _ work: (inout Contents) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try contents.withLock { contents throws(FeedError) in try work(&contents) }
    }
}
