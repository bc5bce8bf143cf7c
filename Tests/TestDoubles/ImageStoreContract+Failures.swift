internal import FeedCore
internal import Testing

/// The promises of every image store about recorded failures.
extension ImageStoreContract {
    package func noFailureIsRememberedAtFirst() async throws {
        try await publish("picture", at: .image(0))
        #expect(try await store.failures(of: [.image(0), .image(1)]) == [nil, nil])
        #expect(try await store.failures(of: []) == [])
        try await store.remember([])
    }

    package func aFailureComesBackAsItWas() async throws {
        let gone = FeedError.invalidData("gone \u{1B}[2J “for good”", status: 410, host: ResourceURL.image(1).host)
        let noImage = FeedError.invalidData("no image", host: ResourceURL.image(2).host)
        try await store.remember([failure(1, gone, at: 1_774_749_599_999_999), failure(2, noImage, at: -1)])
        #expect(
            try await store.failures(of: [.image(2), .image(0), .image(1)]) == [
                RememberedFailure(error: noImage, failedAt: Timestamp(microseconds: -1), count: 1), nil,
                RememberedFailure(error: gone, failedAt: Timestamp(microseconds: 1_774_749_599_999_999), count: 1),
            ])
        #expect(try await store.find([.image(1)]) == [nil])
    }

    package func failuresInARowAreCountedAndTheLastStays() async throws {
        for round in 1...3 {
            let error = FeedError.invalidData("try \(round)", status: 400 + round, host: ResourceURL.image(0).host)
            try await store.remember([failure(0, error, at: Int64(round))])
        }
        let last = try #require(try await store.failures(of: [.image(0)])[0])
        #expect(last.count == 3)
        #expect(last.error.message == "try 3")
        #expect(last.error.status == 403)
        #expect(last.failedAt == Timestamp(microseconds: 3))
    }

    package func aSuccessEndsTheRow() async throws {
        try await store.remember([failure(0), failure(1)])
        try await publish("picture", at: .image(0))
        #expect(try await store.failures(of: [.image(0), .image(1)]).map { $0?.count } == [nil, 1])
        try await store.remember([failure(0)])
        #expect(try await store.failures(of: [.image(0)])[0]?.count == 1)
    }

    package func confirmingEndsTheRow() async throws {
        try await publish("picture", at: .image(0))
        try await store.remember([failure(0), failure(1)])
        try await store.confirm([
            ConfirmedImage(url: .image(0), validators: Validators(), feeds: [.first])
        ])
        #expect(try await store.failures(of: [.image(0), .image(1)]).map { $0?.count } == [nil, 1])
    }

    package func aFailureLeavesTheDataThatIsThere() async throws {
        try await publish("picture", at: .image(0))
        try await store.remember([failure(0)])
        #expect(try await store.find([.image(0)])[0]?.size == 7)
        #expect(try await store.totals().count == 1)
    }

    package func failuresOfWhatNoFeedNamesAreForgotten() async throws {
        try await saveFeed(images: 1)
        try await store.remember([failure(0), failure(7)])
        _ = try await store.removeUnreferenced(.dryRun(withoutFeeds: []))
        #expect(try await store.failures(of: [.image(0), .image(7)]).map { $0?.count } == [1, 1])
        _ = try await store.removeUnreferenced(.forReal)
        #expect(try await store.failures(of: [.image(0), .image(7)]).map { $0?.count } == [1, nil])
    }

    package func theInventoryCountsWhatFailedAndIsNotThere() async throws {
        let images = [0, 1, 2, 2, 3].map { FeedImage(id: "\($0)", url: .image($0)) }
        let saved = SavedFeed(
            url: .first, feed: Feed(format: .rss, images: images), savedAt: Timestamp(microseconds: 1))
        try await fixture.feeds.change { change throws(FeedError) in
            try change.insert(saved)
            try change.insert(.sample(.second, images: 1))
        }
        try await publish("picture", at: .image(0))
        try await store.remember([failure(0), failure(2), failure(3, at: 2_000_000), failure(7)])
        try await store.remember([failure(2, at: 3_000_000)])
        let bytes = Int64("picture".utf8.count)
        var first = ImageInventory.OfFeed(cached: 1, bytes: bytes)
        first.add(failedAt: Timestamp(microseconds: 3_000_000), count: 2)
        first.add(failedAt: Timestamp(microseconds: 2_000_000), count: 1)
        #expect(first.failed == 2)
        #expect(first.leftAloneUntil == Timestamp(microseconds: 3_602_000_000))
        #expect(try await store.inventory(of: [.second, .first]).perFeed == [.init(), first])
    }

    package func credentialsAreNoPartOfAFailure() async throws {
        let url = try ResourceURL("https://me:secret@images.example/0.png")
        try await store.remember([
            ImageFailure(
                url: url, error: .invalidData("no"), failedAt: Timestamp(microseconds: 1),
                feeds: [.first])
        ])
        #expect(try await store.failures(of: [try ResourceURL("https://images.example/0.png")])[0]?.count == 1)
    }

    package func failingToRememberThrowsAndLeavesWhatWasThere() async throws {
        try await store.remember([failure(0)])
        try await fixture.breakRemembering()
        await #expect(throws: FeedError.self) { try await store.remember([failure(0), failure(1)]) }
        #expect(try await store.failures(of: [.image(0), .image(1)]).map { $0?.count } == [1, nil])
    }

    private func failure(
        _ image: Int, _ error: FeedError = .invalidData("gone", status: 404), at microseconds: Int64 = 1
    ) -> ImageFailure {
        ImageFailure(
            url: .image(image), error: error, failedAt: Timestamp(microseconds: microseconds),
            feeds: [.first])
    }
}
