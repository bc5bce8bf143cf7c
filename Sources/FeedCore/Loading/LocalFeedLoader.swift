/// Use cases: load a feed from the cache, and save one to it.
package struct LocalFeedLoader: Sendable {
    package enum Loaded: Hashable, Sendable {
        case fresh(SavedFeed)
        case stale(Staleness)
        case neverSaved

        /// The saved feed, if it may stand in for its server's; else throws what is said of why not.
        func freshFeed(
            ifStale: (Staleness) -> FeedError, ifNeverSaved: @autoclosure () -> FeedError
        ) throws(FeedError) -> SavedFeed {
            switch self {
            case .fresh(let saved): return saved
            case .stale(let staleness): throw ifStale(staleness)
            case .neverSaved: throw ifNeverSaved()
            }
        }
    }

    private let store: any FeedStore
    let now: @Sendable () -> Timestamp

    package init(store: any FeedStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// Only reads: a stale feed is not delivered, and stays where it is.
    package func load(_ url: ResourceURL, maxAge: MaxAge) async throws(FeedError) -> Loaded {
        guard let saved = try await retrieve(url) else { return .neverSaved }
        return isFresh(saved, maxAge: maxAge) ? .fresh(saved) : .stale(Staleness(savedAt: saved.savedAt, now: now()))
    }

    func isFresh(_ saved: SavedFeed, maxAge: MaxAge) -> Bool {
        FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now(), maxAge: maxAge)
    }

    /// The saved feed whatever its age: what a new answer is compared with.
    package func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed? {
        let saved = try await store.retrieve(url)
        guard !Task.isCancelled else { throw .cancelled }
        return saved
    }

    /// Deletes the old cache, timestamps and saves, in this order and in one transaction: a save that fails leaves the
    /// old cache as it was. Returns the moment it was saved at. With `isFirst` nobody is told of an old cache.
    package func save(
        _ feed: Feed, from url: ResourceURL, validators: Validators, pages: Int = 1, isNamed: Bool = true,
        movedTo: ResourceURL? = nil, rules: String? = nil, isFirst: Bool = false,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Timestamp {
        try await store.change { [now] change throws(FeedError) in
            if !isFirst { tell(.deletingOld) }
            try change.delete(url)
            tell(.encoding(images: feed.images.count))
            let moment = now()
            tell(.timestamped(moment))
            tell(.saving)
            try change.insert(
                SavedFeed(
                    url: url, feed: feed, savedAt: moment, validators: validators, pages: pages, isNamed: isNamed,
                    movedTo: movedTo, rules: rules))
            return moment
        }
    }

    /// The saved feed was shown to be the server's latest: only what is saved besides is renewed. Where another run has
    /// deleted it meanwhile, it is saved again.
    package func confirm(
        _ feed: Feed, from url: ResourceURL, validators: Validators, pages: Int = 1, isNamed: Bool = true,
        movedTo: ResourceURL? = nil, rules: String? = nil,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Timestamp {
        try await store.change { [now] change throws(FeedError) in
            let moment = now()
            tell(.timestamped(moment))
            tell(.confirming)
            let saved = SavedFeed(
                url: url, feed: feed, savedAt: moment, validators: validators, pages: pages, isNamed: isNamed,
                movedTo: movedTo, rules: rules)
            do throws(FeedError) {
                try change.confirm(saved)
            } catch {
                guard error.kind == .notFound else { throw error }
                try change.insert(saved)
            }
            return moment
        }
    }
}
