/// Use case: finds the saved images that match every word, the latest first.
package struct FindImages: Sendable {
    private let search: any ImageSearch
    private let now: @Sendable () -> Timestamp

    package init(_ search: any ImageSearch, now: @escaping @Sendable () -> Timestamp) {
        self.search = search
        self.now = now
    }

    /// Passes the images to `visit` in batches, and returns their number.
    ///
    /// `age` limits the time since the data of an image was first obtained. `hasDetails` asks for everything about each
    /// image. Throws `notFound` if `feed` was never saved.
    package func find(
        _ words: [String], in feed: ResourceURL? = nil, within age: MaxAge = .forever, limit: Int? = nil,
        hasDetails: Bool = true,
        _ visit: @escaping @Sendable ([FoundImage]) throws(FeedError) -> Void
    ) async throws(FeedError) -> Int {
        var query = ImageQuery(words: words, feed: feed, limit: limit, hasDetails: hasDetails)
        if case .span(let span) = age { query.after = now() + (.zero - span) }
        return try await search.find(query, visit)
    }
}
