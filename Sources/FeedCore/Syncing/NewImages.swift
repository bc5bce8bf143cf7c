import Synchronization

/// An image whose bytes a run stored for the first time.
package struct NewImage: Sendable {
    /// The first feed of the run that contains the image.
    package let feed: ResourceURL
    package let image: FeedImage
    package let stored: StoredImage
}

/// Reports the images that a run stored.
package final class NewImages: Sendable {
    private struct Wanted {
        let feed: ResourceURL
        let image: FeedImage
        /// The digest of the data in the cache, which may be the latest.
        let cached: Digest?
    }

    /// The request of one feed.
    ///
    /// Two feeds may see different data of one URL.
    private struct Key: Hashable {
        let feed: ResourceURL.Key
        let image: ResourceURL.Key
    }

    private let wanted = Mutex<[Key: Wanted]>([:])
    private let handler: @Sendable ([NewImage]) throws(FeedError) -> Void

    /// Creates the list.
    ///
    /// `handler` gets the images of a batch as soon as they are durable. If it throws, the run ends with that error.
    package init(_ handler: @escaping @Sendable ([NewImage]) throws(FeedError) -> Void) { self.handler = handler }

    /// Registers an image that is requested for a feed.
    func want(_ image: FeedImage, of feed: ResourceURL, cached: Digest?) {
        wanted.withLock {
            $0[Key(feed: feed.key, image: image.url.key)] = Wanted(feed: feed, image: image, cached: cached)
        }
    }

    /// Reports the images of a batch that were stored, each once for the first of the feeds that get it, unless the cache
    /// had the same bytes before.
    ///
    /// `receivers` are the images that get each of the results.
    func report(
        _ receivers: [[WantedImage]], _ results: [Result<StoredImage, FeedError>]
    ) throws(FeedError) {
        let new = wanted.withLock { wanted in
            var new: [NewImage] = []
            for case (let images, .success(let stored)) in zip(receivers, results) {
                var told: Set<ResourceURL.Key> = []
                for received in images {
                    guard let feed = received.terms.feed,
                        let request = wanted.removeValue(forKey: Key(feed: feed.key, image: received.image.key)),
                        request.cached != stored.digest, told.insert(received.image.key).inserted
                    else { continue }
                    new.append(NewImage(feed: request.feed, image: request.image, stored: stored))
                }
            }
            return new
        }
        if !new.isEmpty { try handler(new) }
    }
}
