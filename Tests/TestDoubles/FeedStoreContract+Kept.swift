internal import FeedCore
internal import Testing

/// The promises of every feed store about kept items.
extension FeedStoreContract {
    private static let later = Timestamp(microseconds: 50_000_000)

    private static func gone(_ name: String, lastSeen: Int64, published: Int64? = nil) -> FeedImage {
        FeedImage(
            id: name, description: name, url: .known("https://images.example/\(name).png"),
            post: FeedPost(
                title: "Post", published: published.map { Timestamp(microseconds: $0 * 1_000_000) },
                lastSeen: Timestamp(microseconds: lastSeen * 1_000_000)))
    }

    private func save(_ saved: SavedFeed, keeping images: [FeedImage]) async throws(FeedError) {
        try await store.change { change throws(FeedError) in
            try change.insert(saved)
            try change.keep(images, fromArchive: false, of: saved.url)
        }
    }

    private func kept(_ url: ResourceURL = .first) async throws -> [String] {
        let saved = try #require(try await store.retrieve(url, withKept: true))
        #expect(saved.keptCount == saved.kept.count)
        #expect(try await store.retrieve(url)?.kept == [])
        #expect(try await store.retrieve(url)?.keptCount == saved.kept.count)
        let summary = try await store.summaries().first { $0.url == url }
        #expect(summary?.images == saved.feed.images.count + saved.kept.count)
        return saved.kept.map(\.id)
    }

    package func keptImagesComeNewestFirst() async throws {
        let first = [
            Self.gone("old", lastSeen: 9, published: 1), Self.gone("a", lastSeen: 5), Self.gone("b", lastSeen: 5),
        ]
        try await save(.sample(images: 3), keeping: first)
        let second = [
            Self.gone("new", lastSeen: 7), Self.gone("c", lastSeen: 5), Self.gone("now", lastSeen: 1, published: 8),
        ]
        try await store.change { change throws(FeedError) in try change.keep(second, fromArchive: false, of: .first) }
        #expect(try await kept() == ["now", "new", "a", "b", "c", "old"])
        let saved = try await store.retrieve(.first, withKept: true)
        #expect(saved?.kept.first { $0.id == "old" } == first[0])
        #expect(saved?.feed.images == SavedFeed.sample(images: 3).feed.images)
        #expect(try await store.keptWithoutData(of: .first).count == 6)
    }

    package func whatIsKeptStaysWhereAFeedIsReplacedOrConfirmed() async throws {
        try await save(.sample(images: 3), keeping: [Self.gone("a", lastSeen: 5)])
        try await save(.sample(images: 1, savedAt: 2_000_000), keeping: [])
        #expect(try await kept() == ["a"])
        try await store.change { change throws(FeedError) in try change.confirm(.sample()) }
        #expect(try await kept() == ["a"])
    }

    package func whatIsKeptGoesWithTheFeed() async throws {
        try await save(.sample(), keeping: [Self.gone("a", lastSeen: 5)])
        try await store.change { change throws(FeedError) in
            try change.delete(.first)
            try change.insert(.sample())
        }
        #expect(try await kept() == [])
    }

    package func whatIsNamedAgainIsTakenBack() async throws {
        let back = Self.gone("image-1", lastSeen: 5)
        try await save(.sample(images: 3), keeping: [Self.gone("a", lastSeen: 5), back, Self.gone("b", lastSeen: 4)])
        try await save(.sample(.second), keeping: [Self.gone("a", lastSeen: 5), back])
        let taken = try await store.change { change throws(FeedError) in try change.takeBack(to: .first) }
        #expect(taken == [back])
        #expect(try await kept() == ["a", "b"])
        #expect(try await kept(.second) == ["a", "image-1"])
        #expect(try await store.change { change throws(FeedError) in try change.countKept(of: .first) } == 2)
    }

    package func whatIsNotCoveredIsLetGo() async throws {
        let images = [
            Self.gone("new", lastSeen: 49), Self.gone("dated", lastSeen: 48, published: 3),
            Self.gone("mid", lastSeen: 30),
            Self.gone("ahead", lastSeen: 60), Self.gone("old", lastSeen: 20),
        ]
        let expectations: [(String, [String])] = [
            ("forever", ["ahead", "new", "mid", "old", "dated"]), ("21s", ["ahead", "new", "mid", "dated"]),
            ("20s", ["ahead", "new", "dated"]), ("1s", ["ahead"]), ("none", []),
            ("7", ["ahead", "new", "mid", "old", "dated"]),
            ("5", ["ahead", "new", "mid", "old", "dated"]), ("4", ["ahead", "new", "mid", "old"]),
            ("3", ["ahead", "new", "mid"]), ("1", ["ahead"]),
        ]
        for (text, expected) in expectations {
            let keep = try #require(Keep(text))
            // The feed is saved at the first second, so that its current items are older than all kept ones.
            try await save(.sample(images: 2), keeping: images)
            try await save(.sample(.second, images: 2), keeping: images)
            let excluded = try await store.countKept(of: .first, excludedBy: keep, now: Self.later)
            #expect(excluded == images.count - expected.count, "\(text)")
            try await store.change { change throws(FeedError) in
                try change.letGo(from: .first, by: keep, now: Self.later)
            }
            #expect(try await kept() == expected, "\(text)")
            #expect(try await kept(.second).count == images.count)
            try await store.change { change throws(FeedError) in
                for url in [.first, .second] as [ResourceURL] { try change.delete(url) }
            }
        }
    }

    package func whatWasToldToKeepComesBack() async throws {
        for text in [nil, "none", "forever", "36h", "500", nil] {
            let sample = SavedFeed.sample()
            let saved = SavedFeed(
                url: sample.url, feed: sample.feed, savedAt: sample.savedAt, keep: text.flatMap(Keep.init))
            try await store.change { change throws(FeedError) in try change.insert(saved) }
            #expect(try await store.retrieve(.first) == saved)
            #expect(try await store.summaries().map(\.head.keep?.text) == [text])
            try await store.change { change throws(FeedError) in try change.confirm(saved) }
            #expect(try await store.retrieve(.first) == saved)
        }
        try await save(.sample(), keeping: [Self.gone("a", lastSeen: 5)])
        try await store.change { change throws(FeedError) in
            for url in [.first, .second] as [ResourceURL] { try change.setKeep(.forever, of: url) }
        }
        #expect(try await store.retrieve(.first, withKept: true)?.keep == .forever)
        #expect(try await kept() == ["a"])
        #expect(try await store.retrieve(.second) == nil)
    }
}
