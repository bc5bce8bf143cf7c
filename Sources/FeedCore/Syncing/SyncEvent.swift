/// Where a run tells its steps; nil where nobody watches, which is asked for each image many times: a reference costs
/// less to look at than the stream's own end does.
package final class SyncEvents: Sendable {
    private let end: AsyncStream<SyncEvent>.Continuation

    private init(_ end: AsyncStream<SyncEvent>.Continuation) { self.end = end }

    package static func makeStream() -> (AsyncStream<SyncEvent>, SyncEvents) {
        let (stream, end) = AsyncStream.makeStream(of: SyncEvent.self)
        return (stream, SyncEvents(end))
    }

    package func yield(_ event: SyncEvent) { end.yield(event) }

    package func finish() { end.finish() }
}

/// A step of a run, as it happens, for those who watch.
package enum SyncEvent: Sendable {
    case feed(FeedReport)
    /// The feed is about to be saved: what is done for that.
    case feedStep(ResourceURL, FeedStep)
    /// What this feed names and none before it: so many images in all, so many of them in the cache.
    case imagesFound(ResourceURL, total: Int, cached: Int)
    /// It is known of so many more images what is to become of them; so many of them are asked for.
    case imagesSurveyed(Int, wanted: Int)
    /// One that was asked for was answered, one way or another. What came of it is told when it is stored.
    case imageAnswered
    /// In a dry run: this image would be asked for, as it is not in the cache.
    case imageMissing(ResourceURL)
    /// In a dry run: this image is in the cache, and would be asked for again.
    case imageToRevalidate(ResourceURL)
    /// It is in the cache, and not asked for.
    case imageCached(ResourceURL)
    /// It is not in the cache, and not asked for, as its feed is out of reach or waits.
    case imageSkipped(ResourceURL)
    /// It is not asked for: its last answer tends to stay.
    case imageLeftAlone(ResourceURL, RememberedFailure)
    /// Its data in the cache is the latest.
    case imageUnchanged(ResourceURL)
    case imageDownloaded(ResourceURL, bytes: Int64)
    case imageFailed(ResourceURL, FeedError)
}
