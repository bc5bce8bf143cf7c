package import FeedCore
import Synchronization

/// Keeps the waits of hosts for as long as the test lasts.
package final class InMemoryHostWaitStore: HostWaitStore {
    private let waits = Mutex<[HostWait]>([])

    package init() {}

    package func retrieve() async throws(FeedError) -> [HostWait] {
        waits.withLock { $0.sorted { $0.origin < $1.origin } }
    }

    package func replace(with new: [HostWait]) async throws(FeedError) { waits.withLock { $0 = new } }
}
