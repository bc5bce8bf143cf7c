package import FeedCore
import Synchronization

/// Keeps the pauses of feeds for as long as the test lasts.
package final class InMemoryFeedWaitStore: FeedWaitStore {
    private let waits = Mutex<[FeedWait]>([])

    package init() {}

    package func retrieve() async throws(FeedError) -> [FeedWait] {
        waits.withLock { $0.sorted { $0.feed.text < $1.feed.text } }
    }

    package func replace(with new: [FeedWait]) async throws(FeedError) { waits.withLock { $0 = new } }
}
