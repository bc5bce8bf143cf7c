/// Use case: remove images from the feeds that contain them, whatever their servers say, or reverse that.
package struct RemoveImages: Sendable {
    private let store: any FeedStore

    package init(store: any FeedStore) { self.store = store }

    /// The change of one feed.
    package struct Change: Sendable {
        package let feed: ResourceURL
        /// The URLs that the user gave, of images of this feed.
        package fileprivate(set) var urls: [ResourceURL]
        /// The removed images of the feed after the change.
        package fileprivate(set) var removed: RemovedImages
    }

    /// Returns the changes that remove these images, sorted by feed.
    ///
    /// Throws `notFound` if no saved feed contains one of them.
    package func removal(of urls: [ResourceURL]) async throws(FeedError) -> [Change] {
        var changes: [ResourceURL.Key: Change] = [:]
        for url in urls {
            let images = try await store.images(at: url)
            if images.isEmpty { throw try await unknown(url) }
            for found in images {
                var change = try await change(of: found.feed, in: changes)
                change.removed.add(CollectionOfOne(RemovedImages.Removal(found.image)))
                guard change.removed.count <= RemovedImages.most else { throw RemovedImages.tooMany(from: found.feed) }
                if change.urls.last?.key != url.key { change.urls.append(url) }
                changes[found.feed.key] = change
            }
        }
        return Self.sorted(changes)
    }

    /// Returns the changes that bring these images back at the next sync.
    ///
    /// Throws `notFound` if one of them was removed from no feed.
    package func restoration(of urls: [ResourceURL]) async throws(FeedError) -> [Change] {
        var changes: [ResourceURL.Key: Change] = [:]
        for url in urls {
            let feeds = try await store.feeds(withRemoved: url)
            if feeds.isEmpty { throw .notFound("\(url): no image with this URL has been removed") }
            for feed in feeds {
                var change = try await change(of: feed, in: changes)
                // Another URL of the same image can have been given before.
                if let restored = change.removed.restoring(url) { change.removed = restored }
                change.urls.append(url)
                changes[feed.key] = change
            }
        }
        return Self.sorted(changes)
    }

    /// Returns the change of a feed so far.
    private func change(
        of feed: ResourceURL, in changes: [ResourceURL.Key: Change]
    ) async throws(FeedError) -> Change {
        if let known = changes[feed.key] { return known }
        return Change(feed: feed, urls: [], removed: try await store.removed(from: feed))
    }

    private func unknown(_ url: ResourceURL) async throws(FeedError) -> FeedError {
        guard try await store.feeds(withRemoved: url).isEmpty else {
            return .notFound("\(url): is removed already").hinting("remove --undo brings it back")
        }
        return .notFound("\(url): was never saved, neither as a feed nor as an image of one")
            .hinting("feedsync status lists the saved feeds")
    }

    private static func sorted(_ changes: [ResourceURL.Key: Change]) -> [Change] {
        changes.values.sorted { $0.feed.text < $1.feed.text }
    }
}

extension RemovedImages {
    static func tooMany(from feed: ResourceURL) -> FeedError {
        .invalidData("\(feed): would have more than \(most) removed images")
    }
}
