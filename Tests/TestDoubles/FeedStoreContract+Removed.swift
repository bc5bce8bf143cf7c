internal import FeedCore
internal import Testing

/// The promises of every feed store about removed images.
extension FeedStoreContract {
    private static let kept = FeedImage(
        id: "kept", url: .known("https://images.example/kept.png?sig=1"),
        post: FeedPost(lastSeen: Timestamp(microseconds: 5)), alternatives: [.image(9)])

    /// Removes the image 1 and the kept image from a saved feed with three images.
    private func remove() async throws -> RemovedImages {
        let saved = SavedFeed.sample(images: 3)
        let removed = RemovedImages([saved.feed.images[1], Self.kept].map(RemovedImages.Removal.init))
        try await store.change { change throws(FeedError) in
            try change.insert(saved)
            try change.keep([Self.kept], fromArchive: false, of: .first)
            try change.setRemoved(removed, from: .first)
        }
        return removed
    }

    package func removedImagesLeaveTheirFeed() async throws {
        try await store.change { change throws(FeedError) in try change.insert(.sample(.second, images: 3)) }
        let removed = try await remove()
        let saved = try await store.retrieve(.first, withKept: true)
        #expect(saved?.feed.images.map(\.url) == [.image(0), .image(2)])
        #expect(saved?.kept == [] && saved?.keptCount == 0)
        #expect(try await store.summaries().map(\.images) == [2, 3])
        #expect(try await store.removed(from: .first) == removed)
        #expect(try await store.removed(from: .second).isEmpty)
    }

    package func removedImagesOutlastTheCopyOfANamedFeed() async throws {
        let removed = try await remove()
        try await store.change { change throws(FeedError) in try change.deleteCopy(of: .first) }
        #expect(try await store.retrieve(.first) == nil)
        #expect(try await store.summaries() == [])
        #expect(try await store.removed(from: .first) == removed)
        #expect(try await fixture.anotherStore().removed(from: .first) == removed)
        try await store.change { change throws(FeedError) in
            #expect(try change.removed(from: .first) == removed)
            try change.delete(.first)
        }
        #expect(try await store.removed(from: .first).isEmpty)
    }

    package func imagesAreFoundByEachURL() async throws {
        try await store.change { change throws(FeedError) in
            try change.insert(.sample(.second, images: 2))
            try change.insert(.sample(images: 1))
            try change.keep([Self.kept], fromArchive: false, of: .first)
        }
        let feeds = try await store.images(at: .image(0)).map(\.feed)
        #expect(feeds.sorted { $0.text < $1.text } == [.first, .second])
        #expect(try await store.images(at: .image(1)).map(\.feed) == [.second])
        for url in [Self.kept.url, .image(9)] {
            #expect(try await store.images(at: url) == [ImageOfFeed(Self.kept, of: .first)])
        }
        #expect(try await store.images(at: .known("https://images.example/kept.png")).isEmpty)
    }

    package func feedsAreFoundByRemovedURLs() async throws {
        _ = try await remove()
        for url in [ResourceURL.image(1), .image(9), Self.kept.url] {
            #expect(try await store.feeds(withRemoved: url) == [.first])
        }
        #expect(try await store.feeds(withRemoved: .image(0)).isEmpty)
    }

    package func forgettingRulesHasTheWholeFeedRequested() async throws {
        try await store.change { change throws(FeedError) in
            try change.insert(.sample())
            try change.forgetRules(of: .first)
            try change.forgetRules(of: .second)
        }
        let saved = try await store.retrieve(.first)
        #expect(saved?.rules == "" && saved?.feed == SavedFeed.sample().feed)
    }
}
