package import FeedCore
internal import Synchronization
internal import Testing

/// An empty feed store under test with the means to make it fail.
package protocol FeedStoreFixture: Sendable {
    var store: any FeedStore { get }
    /// Returns another instance on the same data.
    func anotherStore() async throws -> any FeedStore
    func breakRetrieving() async throws
    func breakInserting() async throws
    func breakDeleting() async throws
}

/// The promises of every feed store; each function checks one of them.
package struct FeedStoreContract: Sendable {
    let fixture: any FeedStoreFixture
    var store: any FeedStore { fixture.store }

    package init(_ fixture: any FeedStoreFixture) { self.fixture = fixture }

    package func retrievingFromEmptyDeliversNothing() async throws {
        #expect(try await store.retrieve(.first) == nil)
    }

    package func retrievingTwiceFromEmptyDeliversNothing() async throws {
        #expect(try await store.retrieve(.first) == nil)
        #expect(try await store.retrieve(.first) == nil)
    }

    package func retrievingDeliversWhatWasSaved() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        #expect(try await store.retrieve(saved.url) == saved)
    }

    package func retrievingTwiceDeliversTheSame() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        #expect(try await store.retrieve(saved.url) == saved)
        #expect(try await store.retrieve(saved.url) == saved)
    }

    package func failingToRetrieveThrows() async throws {
        try await save(.sample())
        try await fixture.breakRetrieving()
        await expectStorageError { () throws(FeedError) in _ = try await store.retrieve(.first) }
    }

    package func failingToRetrieveTwiceThrowsTwice() async throws {
        try await failingToRetrieveThrows()
        await expectStorageError { () throws(FeedError) in _ = try await store.retrieve(.first) }
    }

    package func insertingReplacesThePreviousFeed() async throws {
        try await save(.sample(images: 3))
        let later = SavedFeed.sample(images: 2, savedAt: 2_000_000)
        try await save(later)
        #expect(try await store.retrieve(later.url) == later)
        #expect(try await store.summaries().count == 1)
    }

    package func failingToInsertLeavesThePreviousFeed() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        try await fixture.breakInserting()
        await expectStorageError { () throws(FeedError) in try await replace(.sample(images: 1, savedAt: 2_000_000)) }
        #expect(try await store.retrieve(saved.url) == saved)
    }

    package func deletingFromEmptyIsNoError() async throws {
        try await delete(.first)
    }

    package func deletingFromEmptyLeavesItEmpty() async throws {
        try await delete(.first)
        #expect(try await store.retrieve(.first) == nil)
    }

    package func deletingEmptiesTheStore() async throws {
        try await save(.sample())
        try await delete(.first)
        #expect(try await store.retrieve(.first) == nil)
        #expect(try await store.summaries() == [])
    }

    package func deletingLeavesOtherFeeds() async throws {
        let other = SavedFeed.sample(.second)
        try await save(.sample())
        try await save(other)
        try await delete(.first)
        #expect(try await store.retrieve(.second) == other)
    }

    package func failingToDeleteLeavesTheFeed() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        try await fixture.breakDeleting()
        await expectStorageError { () throws(FeedError) in try await delete(.first) }
        #expect(try await store.retrieve(saved.url) == saved)
    }

    package func timestampsComeBackExact() async throws {
        let (first, last) = (-62_167_219_200_000_000 as Int64, 253_402_300_799_999_999 as Int64)
        for microseconds in [0, 1, -1, 1_774_749_599_999_999, 1_774_749_600_000_001, first, last] {
            try await save(.sample(savedAt: microseconds))
            #expect(try await store.retrieve(.first)?.savedAt == Timestamp(microseconds: microseconds))
        }
    }

    package func textComesBackExact() async throws {
        let texts = ["", " ", "a\0b", "ünï\u{1F5BC}\u{FE0F}", "e\u{301}", "'; DROP TABLE feeds; --", "\u{1B}[2J"]
        let images = try texts.enumerated().map { index, text in
            FeedImage(
                id: "\(index)\(text)", description: text, location: index % 2 == 0 ? nil : text,
                url: try ResourceURL("https://images.example/\(index)%00?q=é"), title: text)
        }
        let feed = Feed(format: .essential, title: texts.joined(), images: images)
        let validators = Validators(etag: "W/\"\u{FC}\"", lastModified: "")
        let saved = SavedFeed(url: .first, feed: feed, savedAt: Timestamp(microseconds: 1), validators: validators)
        try await save(saved)
        // The bytes are compared, because two strings can be equal with different bytes.
        let retrieved = try #require(try await store.retrieve(.first))
        #expect(retrieved == saved)
        #expect(retrieved.feed.images.map { $0.description.map { Array($0.utf8) } } == texts.map { Array($0.utf8) })
        #expect(retrieved.feed.images.map { $0.title.map { Array($0.utf8) } } == texts.map { Array($0.utf8) })
    }

    package func whatAnImageIsOfComesBackExact() async throws {
        let post = ResourceURL.known("https://blog.example/a%20b?c=\u{E9}#d")
        let moments = [nil, 0, -1, 1_774_749_600_000_001, Timestamp.writable.upperBound.microseconds] as [Int64?]
        let images = moments.enumerated().map { index, moment in
            FeedImage(
                id: "\(index)", url: .image(index), title: nil, link: index % 2 == 0 ? post : nil,
                published: moment.map(Timestamp.init(microseconds:)),
                alternatives: (0..<index * 2).map { .image(100 + $0) })
        }
        let feed = Feed(format: .rss, language: "pt-BR", images: images + (0..<9).map(FeedImage.full) + images)
        let saved = SavedFeed(url: .first, feed: feed, savedAt: Timestamp(microseconds: 1), rules: "a\0 \u{E9}")
        try await save(saved)
        #expect(try await store.retrieve(.first) == saved)
    }

    package func linkedPagesComeBackUntilTheyAreReplaced() async throws {
        let failure = FeedError.invalidData("HTTP 404", status: 404, host: "blog.example")
        let passing = FeedError.connectivity("silence", host: "blog.example")
        func url(_ number: Int) -> ResourceURL { .known("https://blog.example/\(number)?a=\u{E9}") }
        let pages = [
            LinkedPage(url: url(0)), LinkedPage(url: url(2), isPublic: false),
            LinkedPage(
                url: url(3),
                failure: RememberedFailure(error: failure, failedAt: Timestamp(microseconds: 7), count: 3)),
            LinkedPage(
                url: url(4),
                failure: RememberedFailure(error: passing, failedAt: Timestamp(microseconds: 8), count: 0)),
        ]
        var saved = SavedFeed.sample()
        for page in pages { saved.linkedPages[page.url.key] = page }
        try await save(saved)
        #expect(try await store.retrieve(saved.url) == saved)
        #expect(try await store.retrieve(.second) == nil)
        saved.linkedPages = saved.linkedPages.filter { $0.value.url.text.contains("/2?") }
        try await store.change { [saved] change throws(FeedError) in try change.confirm(saved) }
        #expect(try await store.retrieve(saved.url) == saved)
        try await delete(saved.url)
        try await save(.sample())
        #expect(try await store.retrieve(saved.url)?.linkedPages == [:])
    }

    package func anEmptyFeedComesBack() async throws {
        let saved = SavedFeed.sample(images: 0)
        try await save(saved)
        #expect(try await store.retrieve(saved.url) == saved)
    }

    package func imagesComeBackInOrder() async throws {
        let saved = SavedFeed.sample(images: 300)
        try await save(saved)
        #expect(try await store.retrieve(saved.url)?.feed.images == saved.feed.images)
    }

    package func credentialsComeBackAndAreNoPartOfTheKey() async throws {
        let url = try ResourceURL("https://user:secret@feeds.example/first")
        let image = FeedImage(id: "1", url: try ResourceURL("https://me:too@images.example/1"))
        let saved = SavedFeed(
            url: url, feed: Feed(format: .essential, images: [image]), savedAt: Timestamp(microseconds: 1))
        try await save(saved)
        #expect(try await store.retrieve(.first) == saved)
    }

    package func confirmingRenewsWhatIsNotTheFeedAlone() async throws {
        let saved = SavedFeed(
            url: .first, feed: Feed(format: .rss, images: (0..<3).map(FeedImage.full)),
            savedAt: Timestamp(microseconds: 1), rules: "old")
        try await save(saved)
        let url = try ResourceURL("https://new:password@feeds.example/first")
        func confirmed(_ feed: Feed, naming: FeedNaming) -> SavedFeed {
            SavedFeed(
                url: url, feed: feed, savedAt: Timestamp(microseconds: 77),
                validators: Validators(etag: nil, lastModified: "now"), pages: 3, naming: naming, movedTo: .second,
                rules: "new")
        }
        let other = confirmed(Feed(format: .essential, images: []), naming: .unnamed)
        try await store.change { change throws(FeedError) in try change.confirm(other) }
        #expect(try await store.retrieve(.first) == confirmed(saved.feed, naming: .byCommand))
    }

    package func whereAFeedHasMovedComesBackUntilItIsForgotten() async throws {
        let (here, moved) = (SavedFeed.sample(), SavedFeed.sample(movedTo: .second))
        try await save(moved)
        #expect(try await store.retrieve(.first) == moved)
        #expect(try await store.summaries().map(\.movedTo) == [.second])
        #expect(try await store.retrieve(.second) == nil)
        try await store.change { change throws(FeedError) in try change.confirm(here) }
        #expect(try await store.retrieve(.first) == here)
        try await save(moved)
        try await save(here)
        #expect(try await store.retrieve(.first) == here)
    }

    package func aFeedThatNobodyNamedIsNamedFromTheFirstTimeOn() async throws {
        let sample = SavedFeed.sample()
        try await save(SavedFeed(url: sample.url, feed: sample.feed, savedAt: sample.savedAt, naming: .unnamed))
        let names: [(FeedNaming, FeedNaming)] = [
            (.unnamed, .unnamed), (.byConfig, .byConfig), (.unnamed, .byConfig), (.byCommand, .byCommand),
            (.byConfig, .byCommand),
        ]
        for (naming, expected) in names {
            try await store.change { change throws(FeedError) in
                try change.confirm(
                    SavedFeed(url: sample.url, feed: sample.feed, savedAt: sample.savedAt, naming: naming))
            }
            #expect(try await store.retrieve(sample.url)?.naming == expected)
            #expect(try await store.summaries().map(\.naming) == [expected])
        }
    }

    package func whatWasWrongWithAFeedIsToldUntilItIsSavedAgain() async throws {
        let saved = SavedFeed.sample()
        func noted(_ message: String, _ kind: FeedError.Kind, _ moment: Int64) async throws -> FeedTrouble {
            let trouble = FeedTrouble(kind: kind, message: message, at: Timestamp(microseconds: moment))
            try await store.change { change throws(FeedError) in try change.note(trouble, of: saved.url) }
            return trouble
        }
        func troubles() async throws -> [FeedTrouble?] { try await store.summaries().map(\.trouble) }

        try await save(saved)
        try await save(.sample(.second))
        #expect(try await troubles() == [nil, nil])
        let first = try await noted("gone \u{1B}[2J “for good”", .invalidData, 1_774_749_599_999_999)
        #expect(try await troubles() == [first, nil])
        let second = try await noted("", .connectivity, -1)
        #expect(try await troubles() == [second, nil])
        let retrieved = try #require(try await store.retrieve(saved.url))
        #expect(retrieved.trouble == second)
        #expect(retrieved.feed == saved.feed && retrieved.savedAt == saved.savedAt)
        try await store.change { change throws(FeedError) in try change.confirm(saved) }
        #expect(try await troubles() == [nil, nil])
        _ = try await noted("again", .connectivity, 2)
        try await replace(saved)
        #expect(try await troubles() == [nil, nil])
        try await delete(saved.url)
        _ = try await noted("nothing there", .connectivity, 3)
        #expect(try await troubles() == [nil])
        try await save(saved)
        #expect(try await troubles() == [nil, nil])
    }

    package func confirmingWhatWasNeverSavedThrows() async throws {
        await #expect(throws: FeedError.notFound("\(ResourceURL.first): was never saved")) {
            try await store.change { change throws(FeedError) in try change.confirm(.sample()) }
        }
    }

    package func aChangeThatThrowsChangesNothing() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        await #expect(throws: FeedError.cancelled) {
            try await store.change { change throws(FeedError) in
                try change.delete(.first)
                try change.insert(.sample(.second))
                throw FeedError.cancelled
            }
        }
        #expect(try await store.retrieve(.first) == saved)
        #expect(try await store.retrieve(.second) == nil)
    }

    package func aChangeDeliversItsOutcome() async throws {
        #expect(try await store.change { _ throws(FeedError) in "done" } == "done")
    }

    package func summariesComeByURL() async throws {
        try await save(.sample(.second, images: 1, savedAt: 5))
        try await save(.sample(.first, images: 3, savedAt: 7))
        #expect(
            try await store.summaries() == [
                FeedSummary(
                    FeedHead(url: .first, title: "Sample", format: .essential, savedAt: Timestamp(microseconds: 7)),
                    images: 3),
                FeedSummary(
                    FeedHead(url: .second, title: "Sample", format: .essential, savedAt: Timestamp(microseconds: 5)),
                    images: 1),
            ])
    }

    package func anotherInstanceSeesTheSame() async throws {
        let saved = SavedFeed.sample()
        try await save(saved)
        let other = try await fixture.anotherStore()
        #expect(try await other.retrieve(.first) == saved)
        try await other.change { change throws(FeedError) in try change.delete(.first) }
        #expect(try await store.retrieve(.first) == nil)
    }

    /// Makes many changes at once through two instances: they run one after the other, and all take effect.
    package func changesRunOneAfterAnother() async throws {
        let stores = [store, try await fixture.anotherStore()]
        let watch = OverlapWatch()
        // The number of changes suits a slow disk, because an instance waits at most five seconds for another.
        let urls = try (0..<6).map { try ResourceURL("https://feeds.example/\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, url) in urls.enumerated() {
                let store = stores[index % 2]
                group.addTask {
                    try await store.change { change throws(FeedError) in
                        watch.enter()
                        try change.delete(url)
                        try change.insert(.sample(url, images: 5))
                        watch.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!watch.sawOverlap)
        #expect(try await store.summaries().count == urls.count)
    }

    private func save(_ saved: SavedFeed) async throws(FeedError) {
        try await store.change { change throws(FeedError) in try change.insert(saved) }
    }

    private func replace(_ saved: SavedFeed) async throws(FeedError) {
        try await store.change { change throws(FeedError) in
            try change.delete(saved.url)
            try change.insert(saved)
        }
    }

    private func delete(_ url: ResourceURL) async throws(FeedError) {
        try await store.change { change throws(FeedError) in try change.delete(url) }
    }

    private func expectStorageError(_ work: () async throws(FeedError) -> Void) async {
        do throws(FeedError) {
            try await work()
            Issue.record("no error was thrown")
        } catch {
            guard case .storage = error.kind else {
                Issue.record("not a storage error: \(error)")
                return
            }
        }
    }
}

/// Records whether two callers were inside at once.
private final class OverlapWatch: Sendable {
    private let state = Mutex((inside: 0, overlapped: false))

    func enter() {
        state.withLock { state in
            state.inside += 1
            if state.inside > 1 { state.overlapped = true }
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }

    var sawOverlap: Bool { state.withLock { $0.overlapped } }
}
