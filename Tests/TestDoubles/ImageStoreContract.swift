package import FeedCore
import TestSupport
internal import Testing

/// An empty image store under test, the feed store beside it, and the means to damage it.
package protocol ImageStoreFixture: Sendable {
    var store: any ImageStore { get }
    var feeds: any FeedStore { get }
    func anotherStore() async throws -> any ImageStore
    /// Makes every later reading of the index fail.
    func breakFinding() async throws
    /// Makes every later writing to the index fail.
    func breakPublishing() async throws
    /// Makes every later change of the failure of `image(1)` fail.
    func breakRemembering() async throws
    /// Changes the bytes of the image without the store's knowledge.
    func damage(_ image: StoredImage, at url: ResourceURL) async throws
}

/// The promises of every image store; each function checks one of them.
package struct ImageStoreContract: Sendable {
    let fixture: any ImageStoreFixture
    var store: any ImageStore { fixture.store }

    package init(_ fixture: any ImageStoreFixture) { self.fixture = fixture }

    package func anUnknownURLIsNotFound() async throws {
        #expect(try await store.find([.image(0)]) == [nil])
    }

    package func dataComesBackAsItWasPublished() async throws {
        try await publish("picture", at: .image(0))
        let image = try await found(.image(0))
        #expect(try await store.data(of: image) == Array("picture".utf8))
    }

    package func whatIsKnownOfAnImageComesBack() async throws {
        let staged = try store.stage()
        try staged.append([1, 2, 3])
        let validators = Validators(etag: "\"é\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        let received = ReceivedImage(
            url: .image(0), feeds: [.first], bytes: staged, size: 3, type: .webp,
            validators: validators,
            fetchedAt: Timestamp(microseconds: 1_774_749_599_999_999))
        #expect(try await store.failures(publishing: [received]) == [nil])
        let image = try await found(.image(0))
        #expect(image.size == 3)
        #expect(image.type == .webp)
        #expect(image.validators == validators)
        #expect(image.fetchedAt == received.fetchedAt)
        #expect(image.path == "images/sha256/\(image.digest.hex)")
    }

    package func everyTypeComesBack() async throws {
        for (number, type) in ImageType.allCases.enumerated() {
            try await publish("picture", at: .image(number), type: type)
            #expect(try await found(.image(number)).type == type)
        }
    }

    package func findingAnswersInTheOrderAsked() async throws {
        try await publish("one", at: .image(1))
        try await publish("three", at: .image(3))
        let found = try await store.find([.image(3), .image(2), .image(1), .image(3)])
        #expect(found.map { $0?.size } == [5, nil, 3, 5])
    }

    package func findingNothingAnswersNothing() async throws {
        #expect(try await store.find([]) == [])
        #expect(try await store.failures(publishing: []) == [])
    }

    package func theLastInsertWins() async throws {
        try await publish("old", at: .image(0))
        try await publish("newer", at: .image(0))
        #expect(try await store.data(of: try await found(.image(0))) == Array("newer".utf8))
    }

    package func theLastOfAURLInABatchWins() async throws {
        let batch = [try received("old", at: .image(0)), try received("newer", at: .image(0))]
        #expect(try await store.failures(publishing: batch) == [nil, nil])
        #expect(try await store.data(of: try await found(.image(0))) == Array("newer".utf8))
    }

    package func equalBytesAreKeptOnce() async throws {
        try await publish("same", at: .image(0))
        try await publish("same", at: .image(1))
        #expect(try await found(.image(0)).path == found(.image(1)).path)
        #expect(try await store.totals() == ImageTotals(count: 1, bytes: 4))
    }

    package func equalBytesInOneBatchAreKeptOnce() async throws {
        let batch = try (0..<4).map { try received("same", at: .image($0)) }
        #expect(try await store.failures(publishing: batch) == [nil, nil, nil, nil])
        #expect(try await store.totals() == ImageTotals(count: 1, bytes: 4))
        #expect(try await store.find((0..<4).map { .image($0) }).allSatisfy { $0?.size == 4 })
    }

    package func chunksArePutTogether() async throws {
        let staged = try store.stage()
        for chunk in ["a", "", "bc", "def"] { try staged.append(Array(chunk.utf8)) }
        #expect(try await store.failures(publishing: [received(staged, size: 6, at: .image(0))]) == [nil])
        #expect(try await store.data(of: try await found(.image(0))) == Array("abcdef".utf8))
    }

    package func credentialsAreNoPartOfTheKey() async throws {
        try await publish("picture", at: try ResourceURL("https://me:secret@images.example/0.png"))
        #expect(try await found(.image(0)).size == 7)
    }

    package func whatIsStagedIsNotFound() async throws {
        let staged = try store.stage()
        try staged.append([1])
        #expect(try await store.find([.image(0)]) == [nil])
        #expect(try await store.totals() == ImageTotals(count: 0, bytes: 0))
        staged.discard()
    }

    package func anImageThrownAwayFailsAlone() async throws {
        let good = try received("good", at: .image(0))
        let bad = try received("bad", at: .image(1))
        bad.bytes.discard()
        let failures = try await store.failures(publishing: [bad, good])
        #expect(failures.map { $0 == nil } == [false, true])
        #expect(try await store.find([.image(0), .image(1)]).map { $0?.size } == [4, nil])
    }

    package func anImageWithNoBytesFailsAlone() async throws {
        let empty = received(try store.stage(), size: 0, at: .image(1))
        let failures = try await store.failures(publishing: [empty, try received("good", at: .image(0))])
        #expect(failures.map { $0 == nil } == [false, true])
    }

    package func failingToFindThrows() async throws {
        try await publish("picture", at: .image(0))
        try await fixture.breakFinding()
        await #expect(throws: FeedError.self) { try await store.find([.image(0)]) }
        await #expect(throws: FeedError.self) { try await store.find([.image(0)]) }
    }

    package func failingToPublishThrowsAndLeavesWhatWasThere() async throws {
        try await publish("old", at: .image(0))
        let before = try await found(.image(0))
        try await fixture.breakPublishing()
        let batch = [try received("new", at: .image(0)), try received("newer", at: .image(1))]
        await #expect(throws: FeedError.self) { try await store.publish(batch) }
        #expect(try await store.find([.image(0), .image(1)]) == [before, nil])
        #expect(try await store.data(of: before) == Array("old".utf8))
    }

    package func damagedDataIsNeverDelivered() async throws {
        try await publish("picture", at: .image(0))
        let image = try await found(.image(0))
        try await fixture.damage(image, at: .image(0))
        await #expect(throws: FeedError.self) { try await store.data(of: image) }
    }

    package func filesAreReadFromAnyPlace() async throws {
        try await publish("picture", at: .image(0))
        let file = try await store.files(lockWait: .zero).open(try await found(.image(0)))
        #expect(file.size == 7)
        #expect(try file.read(3, at: 2) == Array("ctu".utf8))
        #expect(try file.read(100, at: 5) == Array("re".utf8))
        #expect(try file.read(100, at: 7) == [])
    }

    package func filesArePlacedElsewhereAndOverNothing() async throws {
        try await publish("picture", at: .image(0))
        let image = try await found(.image(0))
        let directory = try TemporaryDirectory()
        let file = try await store.files(lockWait: .zero).open(image)
        try file.place(at: directory.path("here"))
        #expect(try directory.read("here") == Array("picture".utf8))
        #expect(throws: FeedError.self) { try file.place(at: directory.path("here")) }
        #expect(throws: FeedError.self) { try file.place(at: directory.path("nowhere/here")) }
        #expect(try await store.data(of: image) == Array("picture".utf8))
    }

    package func damagedFilesAreNotOpened() async throws {
        try await publish("picture", at: .image(0))
        let image = try await found(.image(0))
        let files = try await store.files(lockWait: .zero)
        let other = StoredImage(
            digest: image.digest, size: image.size + 1, type: image.type, validators: image.validators,
            fetchedAt: image.fetchedAt, directory: image.directory)
        #expect(throws: FeedError.self) { try files.open(other) }
    }

    package func anEmptyStoreHasFilesToo() async throws {
        _ = try await store.files(lockWait: .zero)
    }

    package func damagedDataIsRemoved() async throws {
        try await publish("picture", at: .image(0))
        try await publish("intact", at: .image(1))
        try await fixture.damage(try await found(.image(0)), at: .image(0))
        // An image that no feed names is deleted and counted, whatever its bytes are.
        #expect(try await store.removeDamaged(.forReal) == .nothing)
        let digest = try await found(.image(0)).digest
        try await saveFeed(images: 2)
        let damage = DamageRemoval(
            files: 1, images: [DamageRemoval.DamagedImage(url: .image(0), feed: .first, digest: digest)])
        #expect(try await store.removeDamaged(.dryRun(withoutFeeds: [.first])) == .nothing)
        #expect(try await store.removeDamaged(.dryRun(withoutFeeds: [])) == damage)
        #expect(try await store.removeDamaged(.forReal) == damage)
        #expect(try await store.find([.image(0), .image(1)]).map { $0?.size } == [nil, 6])
        #expect(try await store.removeDamaged(.forReal) == .nothing)
    }

    package func whatNoFeedNamesIsRemoved() async throws {
        try await saveFeed(images: 1)
        try await publish("named", at: .image(0))
        try await publish("unnamed", at: .image(7))
        let expected = ImageRemoval(images: 1, bytesFreed: 7)
        #expect(try await store.removeUnreferenced(.forReal) == expected)
        #expect(try await store.find([.image(0), .image(7)]).map { $0?.size } == [5, nil])
        #expect(try await store.totals() == ImageTotals(count: 1, bytes: 5))
    }

    package func bytesThatAnotherURLSharesStay() async throws {
        try await saveFeed(images: 1)
        try await publish("same", at: .image(0))
        try await publish("same", at: .image(7))
        #expect(try await store.removeUnreferenced(.forReal) == ImageRemoval(images: 0, bytesFreed: 0))
        #expect(try await store.find([.image(0), .image(7)]).map { $0?.size } == [4, nil])
    }

    package func aDryRunRemovesNothing() async throws {
        try await publish("picture", at: .image(0))
        #expect(try await store.removeUnreferenced(.dryRun(withoutFeeds: [])) == ImageRemoval(images: 1, bytesFreed: 7))
        #expect(try await store.data(of: try await found(.image(0))) == Array("picture".utf8))
        #expect(try await store.removeUnreferenced(.forReal) == ImageRemoval(images: 1, bytesFreed: 7))
    }

    package func replacingAFeedKeepsImageData() async throws {
        try await saveFeed(images: 2)
        try await publish("picture", at: .image(0))
        try await publish("another", at: .image(1))
        try await saveFeed(images: 1)
        #expect(try await store.find([.image(0), .image(1)]).map { $0?.size } == [7, 7])
    }

    package func confirmingKeepsTheDataAndRenewsWhatChanged() async throws {
        try await publish("picture", at: .image(0))
        try await publish("another", at: .image(1))
        let before = try await found(.image(0))
        let validators = Validators(etag: "\"2\"", lastModified: nil)
        try await store.confirm([
            ConfirmedImage(url: .image(0), validators: validators, feeds: [.first]),
            ConfirmedImage(url: .image(1), validators: Validators(), feeds: [.first]),
            ConfirmedImage(url: .image(7), validators: validators, feeds: [.first]),
        ])
        let after = try await found(.image(0))
        #expect(after.validators == validators)
        #expect(after.fetchedAt == before.fetchedAt)
        #expect(after.digest == before.digest)
        #expect(try await store.data(of: after) == Array("picture".utf8))
        #expect(try await found(.image(1)).fetchedAt == Timestamp(microseconds: 1_000_000))
        #expect(try await store.find([.image(7)]) == [nil])
        try await store.confirm([])
    }

    package func theInventoryCountsWhatIsThere() async throws {
        try await saveFeed(images: 3)
        try await publish("picture", at: .image(1))
        try await publish("another", at: .image(2))
        try await publish("unnamed", at: .image(7))
        // The second image was never saved.
        let inventory = try await store.inventory(of: [.first, .second])
        #expect(inventory.totals == ImageTotals(count: 3, bytes: 21))
        #expect(inventory.perFeed == [.init(cached: 2, bytes: 14), .init()])
    }

    package func anotherInstanceSeesTheSame() async throws {
        try await publish("picture", at: .image(0))
        let other = try await fixture.anotherStore()
        let image = try #require(try await other.find([.image(0)])[0])
        #expect(try await other.data(of: image) == Array("picture".utf8))
    }

    func saveFeed(images: Int) async throws {
        try await fixture.feeds.change { change throws(FeedError) in try change.insert(.sample(images: images)) }
    }

    func publish(_ text: String, at url: ResourceURL, type: ImageType = .png) async throws {
        #expect(try await store.failures(publishing: [try received(text, at: url, type: type)]) == [nil])
    }

    private func received(_ text: String, at url: ResourceURL, type: ImageType = .png) throws -> ReceivedImage {
        let staged = try store.stage()
        try staged.append(Array(text.utf8))
        return received(staged, size: Int64(text.utf8.count), at: url, type: type)
    }

    private func received(
        _ staged: any StagedImage, size: Int64, at url: ResourceURL, type: ImageType = .png
    ) -> ReceivedImage {
        ReceivedImage(
            url: url, feeds: [.first], bytes: staged, size: size, type: type, validators: Validators(),
            fetchedAt: Timestamp(microseconds: 1_000_000))
    }

    func found(_ url: ResourceURL) async throws -> StoredImage {
        try #require(try await store.find([url])[0])
    }
}
