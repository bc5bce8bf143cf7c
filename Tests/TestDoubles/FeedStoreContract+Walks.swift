internal import FeedCore
internal import Testing

/// The promises of every feed store about open walks.
extension FeedStoreContract {
    private static let walks = [
        OpenWalk(
            page: FeedPage(url: .known("https://feeds.example/first?page=3"), number: 3), endsAtSaved: true,
            begun: Timestamp(microseconds: 7)),
        OpenWalk(
            page: FeedPage(url: .known("https://feeds.example/first?paged=60"), number: 60, isGuessed: true),
            endsAtSaved: false, begun: Timestamp(microseconds: 5_000_000)),
    ]

    private static func sample(_ walks: [OpenWalk]) -> SavedFeed {
        let sample = SavedFeed.sample()
        return SavedFeed(url: sample.url, feed: sample.feed, savedAt: sample.savedAt, pages: .max, walks: walks)
    }

    package func openWalksComeBackInOrder() async throws {
        let saved = Self.sample(Self.walks)
        try await store.change { change throws(FeedError) in try change.insert(saved) }
        #expect(try await store.retrieve(.first) == saved)
        let fewer = Self.sample([Self.walks[1]])
        try await store.change { change throws(FeedError) in try change.setWalks(fewer.walks, of: .first) }
        #expect(try await store.retrieve(.first) == fewer)
        for changed in [saved, Self.sample([])] {
            try await store.change { change throws(FeedError) in try change.confirm(changed) }
            #expect(try await store.retrieve(.first) == changed)
            try await store.change { change throws(FeedError) in try change.insert(changed) }
            #expect(try await store.retrieve(.first) == changed)
        }
    }

    package func openWalksGoWithTheFeed() async throws {
        try await store.change { change throws(FeedError) in
            try change.insert(Self.sample(Self.walks))
            try change.delete(.first)
            try change.setWalks(Self.walks, of: .first)
            try change.insert(Self.sample([]))
        }
        #expect(try await store.retrieve(.first) == Self.sample([]))
    }

    package func theIDsOfCurrentAndKeptImagesComeBack() async throws {
        let kept = FeedImage(id: "kept", url: .known("https://images.example/kept.png")).leaving(
            Timestamp(microseconds: 1))
        try await store.change { change throws(FeedError) in
            try change.insert(.sample(images: 2))
            try change.insert(.sample(.second, images: 3))
            try change.keep([kept], fromArchive: false, of: .first)
        }
        let ids = try await store.imageIDs(of: .first)
        let images = try #require(try await store.retrieve(.second)).feed.images
        #expect((images + [kept]).map { ids.contains($0) } == [true, true, false, true])
        #expect(try await store.imageIDs(of: .known("https://feeds.example/none")).contains(kept) == false)
    }
}
