/// Use case: the latest feed if it can be had, else the saved one while it is fresh.
package struct FeedLoaderWithFallback: Sendable {
    package struct Loaded: Hashable, Sendable {
        package enum Source: Hashable, Sendable {
            /// `saveFailure` says why it could not be saved, if it couldn't.
            case remote(saveFailure: FeedError?)
            /// With the reason why the server's own could not be had, nil if it wasn't asked.
            case cache(instead: FeedError?)
        }

        package let feed: Feed
        package let savedAt: Timestamp?
        package let source: Source
        /// As in `FeedRefresh.Refreshed`.
        package var movedTo: ResourceURL?
        /// What the feed names and was left out, as far as it was just loaded.
        package var notes: [String] = []
        /// What is kept besides of what left the feed.
        package var kept: [FeedImage] = []
        package var hasEmptied = false
        /// Whether the feed may see the own network's data; nil: as it is saved with the feed.
        package var seesOwnNetwork: Bool?

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
                seesOwnNetwork: latest.imageTerms.map { $0.addresses == .any })
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return try await loadSaved(url, instead: error)
        }
    }

    /// The error keeps the remote failure's kind, since that is what a person can act on, and names both causes.
    private func loadSaved(_ url: ResourceURL, instead cause: FeedError) async throws(FeedError) -> Loaded {
        let found: LocalFeedLoader.Loaded
        do {
            found = try await local.load(url, maxAge: maxAge, withKept: true)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            throw cause.adding(", and the saved feed can't be read: \(error.message)")
        }
        let saved = try found.freshFeed(
            ifStale: cause.addingStale, ifNeverSaved: cause.adding(", and no saved feed stands in"))
        return Loaded(saved, instead: cause)
    }
}

extension LocalFeedLoader {
    /// The saved feed, for one who wants no server to be asked.
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
