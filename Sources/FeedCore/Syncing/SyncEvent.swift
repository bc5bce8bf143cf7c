/// Receives the events of a run. It is a class, because a run checks for each image several times whether there is a
/// receiver, and a reference is cheap to check.
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

/// A step of a run, reported as it happens.
package enum SyncEvent: Sendable {
    case feed(FeedReport)
    /// A step on the way to saving the feed.
    case feedStep(ResourceURL, FeedStep)
    /// The number of images that this feed is the first to contain, and how many of them are in the cache.
    case imagesFound(ResourceURL, total: Int, cached: Int)
    /// The number of further images that were planned, and how many of them will be requested.
    case imagesSurveyed(Int, wanted: Int)
    /// The request of an image has ended. Its result is reported when it is stored.
    case imageAnswered
    /// A dry run reports that it would request this image, which is missing from the cache.
    case imageMissing(ResourceURL)
    /// A dry run reports that it would request this image again, which is in the cache.
    case imageToRevalidate(ResourceURL)
    /// The image is in the cache, and needs no request.
    case imageCached(ResourceURL)
    /// The image is missing from the cache, and is skipped because its feed is out of reach or waits.
    case imageSkipped(ResourceURL)
    /// The image is skipped because of its last permanent failure.
    case imageLeftAlone(ResourceURL, RememberedFailure)
    /// The server has confirmed the data in the cache.
    case imageUnchanged(ResourceURL)
    case imageDownloaded(ResourceURL, bytes: Int64)
    case imageFailed(ResourceURL, FeedError)
}
