/// Use case: load the latest feed or, if its server is out of reach, the saved one while it is fresh.
package struct FeedLoaderWithFallback: Sendable {
    package struct Loaded: Hashable, Sendable {
        package enum Source: Hashable, Sendable {
            /// The feed comes from its server. `saveFailure` says why saving it failed.
            case remote(saveFailure: FeedError?)
            /// The feed comes from the cache. `instead` says why the request failed; nil if there was no request.
            case cache(instead: FeedError?)
        }

        package let feed: Feed
        package let savedAt: Timestamp?
        package let source: Source
        /// The new URL of the feed, to be reported.
        package var movedTo: ResourceURL?
        /// Notes about what was left out of the feed, if it was just loaded.
        package var notes: [String] = []
        /// The kept images that have left the feed.
        package var kept: [FeedImage] = []
        package var hasEmptied = false
        /// The reason why a further page could not be loaded.
        package var pageFailure: FeedError?

        package var images: [FeedImage] { feed.images + kept }
    }

    private let refresh: FeedRefresh
    private let local: LocalFeedLoader
    private let maxAge: MaxAge

    package init(refresh: FeedRefresh, local: LocalFeedLoader, maxAge: MaxAge) {
        self.refresh = refresh
        self.local = local
        self.maxAge = maxAge
    }

    package func load(_ url: ResourceURL) async throws(FeedError) -> Loaded {
        do {
            let latest = try await refresh.refresh(url, delivers: true)
            let source = Loaded.Source.remote(saveFailure: latest.saveFailure)
            return Loaded(
                feed: latest.feed, savedAt: latest.savedAt, source: source, movedTo: latest.movedTo,
                notes: latest.notes, kept: latest.kept, hasEmptied: latest.hasEmptied,
                pageFailure: latest.pageFailure)
        } catch let error where error.isCancellation || error.kind == .storage(.unreadable) {
            throw error
        } catch {
            return try await loadSaved(url, instead: error)
        }
    }

    /// Loads the saved feed.
    ///
    /// An error has the kind of the remote failure, on which a person can act, and names both causes.
    private func loadSaved(_ url: ResourceURL, instead cause: FeedError) async throws(FeedError) -> Loaded {
        let found: LocalFeedLoader.Loaded
        do {
            found = try await local.load(url, maxAge: maxAge, withKept: true)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            throw cause.adding(", and the cache can't be read: \(error.message)")
        }
        let saved = try found.freshFeed(
            ifStale: cause.addingStale, ifNeverSaved: cause.adding(", and no saved feed stands in"))
        return Loaded(saved, instead: cause)
    }
}

extension LocalFeedLoader {
    /// Loads the saved feed without a request.
    package func loadOffline(
        _ url: ResourceURL, maxAge: MaxAge
    ) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        let saved = try await load(url, maxAge: maxAge, withKept: true).freshFeed(
            ifStale: { .connectivity("\($0)\($0.isAhead ? "" : " (see --max-age)")") },
            ifNeverSaved: .notFound("this feed was never saved"))
        return FeedLoaderWithFallback.Loaded(saved, instead: nil)
    }
}

extension FeedLoaderWithFallback.Loaded {
    fileprivate init(_ saved: SavedFeed, instead cause: FeedError?) {
        self.init(feed: saved.feed, savedAt: saved.savedAt, source: .cache(instead: cause), kept: saved.kept)
    }
}

extension FeedError {
    func addingStale(_ staleness: Staleness) -> FeedError { adding(", and \(staleness)") }
}
