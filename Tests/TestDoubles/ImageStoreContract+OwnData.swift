internal import FeedCore
internal import Testing

/// What every image store promises about images that share a URL whose data changes.
extension ImageStoreContract {
    /// Saves a feed with an item for each id, all of them with the first image URL, and one kept item.
    private func save(_ ids: [String], kept: String? = nil) async throws {
        let images = ids.map { FeedImage(id: $0, url: .image(0)) }
        let saved = SavedFeed(
            url: .first, feed: Feed(format: .rss, images: images), savedAt: Timestamp(microseconds: 1))
        try await fixture.feeds.change { change throws(FeedError) in
            try change.insert(saved)
            guard let kept else { return }
            let image = FeedImage(id: kept, url: .image(0), post: FeedPost(lastSeen: Timestamp(microseconds: 1)))
            try change.keep([image], fromArchive: false, of: .first)
        }
    }

    private func awaitData(of ids: [String]) async throws {
        try await fixture.feeds.change { change throws(FeedError) in
            try change.awaitData(of: ids.map { FeedImage(id: $0, url: .image(0)) }, of: .first)
        }
    }

    /// Returns the bytes of each item.
    private func texts(of ids: [String]) async throws -> [String?] {
        var texts: [String?] = []
        let images = ids.map { FeedImage(id: $0, url: .image(0)) }
        for stored in try await store.find(images, of: .first) {
            guard let stored else { texts.append(nil); continue }
            texts.append(String(decoding: try await store.data(of: stored), as: UTF8.self))
        }
        return texts
    }

    package func anItemThatAwaitsDataGetsTheNextAndEarlierItemsKeepTheirs() async throws {
        try await save(["1", "2"], kept: "0")
        try await publish("old", at: .image(0))
        try await awaitData(of: ["2"])
        #expect(try await store.find([FeedImage(id: "2", url: .image(0))], of: .first)[0]?.standing == .awaited)
        #expect(try await texts(of: ["0", "1", "2"]) == ["old", "old", "old"])
        try await publish("new", at: .image(0))
        #expect(try await texts(of: ["0", "1", "2"]) == ["old", "old", "new"])
        #expect(try await store.find([FeedImage(id: "2", url: .image(0))], of: .first)[0]?.standing == .obtained)
        // The next item awaits data in its turn.
        try await save(["1", "2", "3"])
        try await awaitData(of: ["3"])
        try await publish("newest", at: .image(0))
        #expect(try await texts(of: ["0", "1", "2", "3"]) == ["old", "old", "new", "newest"])
        #expect(try await store.removeUnreferenced(.forReal).images == 0)
        #expect(try await texts(of: ["0", "1", "2", "3"]) == ["old", "old", "new", "newest"])
    }

    package func dataThatIsConfirmedOrTheSameEndsTheWaiting() async throws {
        try await save(["1", "2"])
        try await publish("old", at: .image(0))
        try await awaitData(of: ["2"])
        try await store.confirm([ConfirmedImage(url: .image(0), validators: Validators(), feeds: [.first])])
        #expect(try await store.find([FeedImage(id: "2", url: .image(0))], of: .first)[0]?.standing == .obtained)
        try await awaitData(of: ["1"])
        try await publish("old", at: .image(0))
        #expect(try await texts(of: ["1", "2"]) == ["old", "old"])
        #expect(try await store.find([FeedImage(id: "1", url: .image(0))], of: .first)[0]?.standing == .obtained)
    }

    package func withoutAnItemThatAwaitsDataOnlyKeptItemsKeepTheirs() async throws {
        try await save(["1"], kept: "0")
        try await publish("old", at: .image(0))
        try await publish("new", at: .image(0))
        #expect(try await texts(of: ["0", "1"]) == ["old", "new"])
    }

    package func anItemWithAnotherIDKeepsItsOwnData() async throws {
        try await save(["1", "2"])
        try await publish("old", at: .image(0))
        try await awaitData(of: ["2"])
        try await publish("new", at: .image(0))
        try await fixture.feeds.change { change throws(FeedError) in
            try change.rename([(old: "1", new: "one")], of: .first)
        }
        #expect(try await texts(of: ["one", "2"]) == ["old", "new"])
    }

    package func anItemWithoutDataUnderItsURLAwaitsNothing() async throws {
        try await save(["1"])
        try await awaitData(of: ["1"])
        try await publish("first", at: .image(0))
        #expect(try await store.find([FeedImage(id: "1", url: .image(0))], of: .first)[0]?.standing == .obtained)
    }

    package func anotherFeedHasNoneOfTheData() async throws {
        try await save(["1"])
        try await fixture.feeds.change { change throws(FeedError) in try change.insert(.sample(.second)) }
        try await publish("first", at: .image(0))
        #expect(try await store.find([FeedImage(id: "1", url: .image(0))], of: .second) == [nil])
        try await store.remember([
            ImageFailure(
                url: .image(0), error: .invalidData("gone", status: 404), failedAt: Timestamp(microseconds: 1),
                feeds: [.second])
        ])
        #expect(try await store.failures(of: [.image(0)], in: .first) == [nil])
        #expect(try await store.failures(of: [.image(0)], in: .second)[0]?.count == 1)
    }
}
