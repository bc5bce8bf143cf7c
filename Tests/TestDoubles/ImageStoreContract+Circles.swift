internal import FeedCore
internal import Testing

/// What every image store promises about the data that a server confirms for one feed, when other feeds see it too.
extension ImageStoreContract {
    private func recipients(_ url: ResourceURL, _ circle: Circle) -> [Recipient] {
        [Recipient(image: url, feed: .first, circle: circle)]
    }

    package func aResponseForOneFeedLeavesTheValidatorsOfEverybodysData() async throws {
        try await saveFeed(images: 1)
        try await publish("picture", at: .image(0))
        let before = try await found(.image(0))
        let later = Validators(etag: nil, lastModified: "Fri, 01 Jan 2038 00:00:00 GMT")
        try await store.confirm([
            ConfirmedImage(url: .image(0), validators: later, recipients: recipients(.image(0), .oneFeed))
        ])
        #expect(try await found(.image(0)) == before)
    }

    package func dataConfirmedUnderAnotherURLIsThatFeedsAlone() async throws {
        try await saveFeed(images: 1)
        try await publish("picture", at: .image(1))
        try await store.confirm([
            ConfirmedImage(
                url: .image(0), dataOf: .image(1), validators: Validators(),
                recipients: recipients(.image(0), .everybody))
        ])
        let image = FeedImage(id: "0", url: .image(0))
        let own = try #require(try await store.find([image], for: Viewer(.first))[0])
        #expect(own.isOfOneFeed && own.size == 7)
        #expect(try await store.find([image], for: Viewer(.second)) == [nil])
    }
}
