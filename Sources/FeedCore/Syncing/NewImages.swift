import Synchronization

/// An image whose bytes a run stored and didn't have before.
package struct NewImage: Sendable {
    /// The feed that the run had it for.
    package let feed: ResourceURL
    package let image: FeedImage
    package let stored: StoredImage
}

/// Tells which images a run stored, for whom wants to hear of each.
package final class NewImages: Sendable {
    private struct Wanted {
        let feed: ResourceURL
        let image: FeedImage
        /// Its data is there, and may turn out to be the latest.
        let isCached: Bool
    }

    private let wanted = Mutex<[ResourceURL.Key: Wanted]>([:])
    private let tell: @Sendable ([NewImage]) throws(FeedError) -> Void

    /// `tell` is handed those of a batch as soon as they are durable. If it throws, the run ends with that.
    package init(_ tell: @escaping @Sendable ([NewImage]) throws(FeedError) -> Void) { self.tell = tell }

    func want(_ image: FeedImage, of feed: ResourceURL, isCached: Bool) {
        wanted.withLock { $0[image.url.key] = Wanted(feed: feed, image: image, isCached: isCached) }
    }

    /// The bytes that are there of those that are asked for again.
    func cached(
        _ images: [ReceivedImage], in store: any ImageStore
    ) async throws(FeedError) -> [ResourceURL.Key: Digest] {
        let cached = wanted.withLock { wanted in images.map(\.url).filter { wanted[$0.key]?.isCached == true } }
        guard !cached.isEmpty else { return [:] }
        var digests: [ResourceURL.Key: Digest] = [:]
        for (url, found) in zip(cached, try await store.find(cached)) { digests[url.key] = found?.digest }
        return digests
    }

    /// Those of a batch that were published, unless their bytes are what was `cached` before.
    func tell(
        _ images: [ReceivedImage], _ failures: [FeedError?], _ cached: [ResourceURL.Key: Digest],
        in store: any ImageStore
    ) async throws(FeedError) {
        let urls = zip(images, failures).filter { $1 == nil }.map(\.0.url)
        let found = try await store.find(urls)
        let news = wanted.withLock { wanted in
            zip(urls, found).compactMap { url, stored -> NewImage? in
                guard let stored, let named = wanted.removeValue(forKey: url.key), cached[url.key] != stored.digest
                else { return nil }
                return NewImage(feed: named.feed, image: named.image, stored: stored)
            }
        }
        if !news.isEmpty { try tell(news) }
    }
}
