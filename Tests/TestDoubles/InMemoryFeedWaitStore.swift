package import FeedCore
import Synchronization

/// Stores the waits of feeds in memory for the duration of a test.
package final class InMemoryFeedWaitStore: FeedWaitStore {
    private let waits = Mutex<[FeedWait]>([])

    package init() {}

    package func retrieve() async throws(FeedError) -> [FeedWait] {
        waits.withLock { $0.sorted { $0.feed.text < $1.feed.text } }
    }

    package func replace(with new: [FeedWait]) async throws(FeedError) { waits.withLock { $0 = new } }
}
