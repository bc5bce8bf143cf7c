/// Use case: delete saved feeds that are stale and not kept, and feeds that cannot be read.
package struct ValidateFeedCache: Sendable {
    private let store: any FeedStore
    private let now: @Sendable () -> Timestamp

    package init(store: any FeedStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    package enum Fault: Hashable, Sendable {
        case stale(Staleness)
        case unreadable(FeedError)
        /// The feed was saved ahead of the clock and is kept, because the clock may be wrong.
        case ahead(Staleness)
        /// The feed is kept, except for images that left it and that its `Keep` no longer covers.
        case letGo(images: Int, RemovalMode.ExcludedItems)
    }

    /// Deletes the feed if it is stale or unreadable, and returns the reason.
    ///
    /// A dry run deletes nothing.
    package func validate(_ url: ResourceURL, maxAge: MaxAge, dryRun: Bool = false) async throws(FeedError) -> Fault? {
        let (fault, saved) = try await fault(of: url, maxAge)
        guard !Task.isCancelled else { throw .cancelled }
        // Items that had left the feed in an archive stay until the user gives a `keep` for it.
        if let saved, saved.keep == nil, saved.keptCount > 0 {
            if case .stale? = fault { return nil }
            return fault
        }
        if let saved, let keep = saved.keep, !keep.isNone {
            // A feed with a `keep` stays when its server has disappeared.
            if case .stale? = fault { return try await letGo(of: saved, keep, dryRun: dryRun) }
            return try await letGo(of: saved, keep, dryRun: dryRun) ?? fault
        }
        guard let fault else { return nil }
        if case .ahead = fault { return fault }
        if !dryRun {
            try await store.change { change throws(FeedError) in try change.deleteCopy(of: url) }
        }
        return fault
    }

    private func letGo(of saved: SavedFeed, _ keep: Keep, dryRun: Bool) async throws(FeedError) -> Fault? {
        let moment = now()
        let count = try await store.countKept(of: saved.url, excludedBy: keep, now: moment)
        guard count > 0 else { return nil }
        if !dryRun {
            try await store.change { change throws(FeedError) in
                try change.letGo(from: saved.url, by: keep, now: moment)
            }
        }
        return .letGo(images: count, .init(of: saved.url, excludedBy: keep, now: moment))
    }

    /// Returns the fault of a feed.
    ///
    /// A disk that fails to be read says nothing about the feed.
    private func fault(of url: ResourceURL, _ maxAge: MaxAge) async throws(FeedError) -> (Fault?, SavedFeed?) {
        do {
            guard let saved = try await store.retrieve(url) else { return (nil, nil) }
            let now = now()
            if FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now, maxAge: maxAge) { return (nil, saved) }
            let staleness = Staleness(savedAt: saved.savedAt, now: now)
            return (staleness.isAhead ? .ahead(staleness) : .stale(staleness), saved)
        } catch let error where error.kind == .storage(.unreadable) {
            return (.unreadable(error), nil)
        }
    }
}
