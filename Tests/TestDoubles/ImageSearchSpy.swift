package import FeedCore
import Synchronization

/// Records the queries of a search and finds nothing.
package final class ImageSearchSpy: ImageSearch {
    private let received = Mutex<[ImageQuery]>([])

    package init() {}

    package var queries: [ImageQuery] { received.withLock { $0 } }

    package func find(
        _ query: ImageQuery, _ visit: @escaping @Sendable ([FoundImage]) throws(FeedError) -> Void
    ) async throws(FeedError) -> Int {
        received.withLock { $0.append(query) }
        return 0
    }
}
