package import FeedCore
import Synchronization

/// A decoder that returns the same feed for every body, or fails, and records its input.
package final class StubDecoder: FeedDecoding {
    private let result: Result<Feed, FeedError>
    private let recorded = Mutex<[[UInt8]]>([])

    package var decoded: [[UInt8]] { recorded.withLock { $0 } }

    package init(_ feed: Feed) { result = .success(feed) }
    package init(failingWith error: FeedError) { result = .failure(error) }

    package func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
        recorded.withLock { $0.append(document.bytes) }
        return DecodedFeed(feed: try result.get())
    }

    package func readPage(
        _ page: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> [PageImage] {
        recorded.withLock { $0.append(page.bytes) }
        // Each byte of a page stands for an image.
        return page.bytes.map { PageImage(url: .image(Int($0))) }
    }

    package func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
        recorded.withLock { $0.append(document.bytes) }
        _ = try result.get()
        return SubscriptionList(feeds: [])
    }
}
