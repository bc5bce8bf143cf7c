/// A step of a run, as it happens, for those who watch.
package enum SyncEvent: Sendable {
    case feed(FeedReport)
    /// The images are known: so many in all, so many of them in the cache.
    case imagesFound(total: Int, cached: Int)
    /// In a dry run: this image is not in the cache.
    case imageMissing(ResourceURL)
    case imageDownloaded(ResourceURL, bytes: Int64)
    case imageFailed(ResourceURL, FeedError)
}
