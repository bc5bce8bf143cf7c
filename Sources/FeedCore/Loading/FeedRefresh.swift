/// Use case: ask the server for its latest feed and bring the saved copy up to it.
package struct FeedRefresh: Sendable {
    package enum Outcome: Hashable, Sendable { case updated, unchanged }

    package struct Refreshed: Hashable, Sendable {
        package let feed: Feed
        package let outcome: Outcome
        /// Nil if no copy of this feed is saved.
        package let savedAt: Timestamp?
        /// Why the feed could not be saved. It is delivered all the same: the server's answer is good.
        package let saveFailure: FeedError?
    }

    private let remote: RemoteFeedLoader
    private let local: LocalFeedLoader
    private let saves: Bool

    /// Without `saves` nothing is written: in a dry run, or when another run holds the lock and does the saving.
    package init(remote: RemoteFeedLoader, local: LocalFeedLoader, saves: Bool = true) {
        self.remote = remote
        self.local = local
        self.saves = saves
    }

    package func refresh(_ url: ResourceURL) async throws(FeedError) -> Refreshed {
        let old = try await local.retrieve(url)
        // A URL given without its user name and password is asked with those it was saved with.
        let url = url.credentials == nil ? old?.url ?? url : url
        switch try await remote.load(url, validators: old?.validators ?? Validators()) {
        case .notModified(let validators):
            guard let old else { throw .invalidData("HTTP 304 to a request that was not conditional", host: url.host) }
            return try await confirm(old, at: url, validators)
        case .feed(let feed, let validators):
            if let old, old.feed == feed { return try await confirm(old, at: url, validators) }
            return try await finish(feed, .updated, savedAt: nil) { () async throws(FeedError) in
                try await local.save(feed, from: url, validators: validators)
            }
        }
    }

    private func confirm(
        _ old: SavedFeed, at url: ResourceURL, _ validators: Validators
    ) async throws(FeedError) -> Refreshed {
        try await finish(old.feed, .unchanged, savedAt: old.savedAt) { () async throws(FeedError) in
            try await local.confirm(url, validators: validators)
        }
    }

    private func finish(
        _ feed: Feed, _ outcome: Outcome, savedAt: Timestamp?, save: () async throws(FeedError) -> Timestamp
    ) async throws(FeedError) -> Refreshed {
        guard saves else { return Refreshed(feed: feed, outcome: outcome, savedAt: savedAt, saveFailure: nil) }
        do {
            return Refreshed(feed: feed, outcome: outcome, savedAt: try await save(), saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return Refreshed(feed: feed, outcome: outcome, savedAt: savedAt, saveFailure: error)
        }
    }
}
