/// Use case: delete the saved feeds that are stale and not kept, and those that can't be read.
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
        /// It was saved ahead of the clock, and is kept: the clock may be what is wrong.
        case ahead(Staleness)
        /// It is kept, but for images that left it and that its `Keep` no longer covers.
        case letGo(images: Int)
    }

    /// What is wrong with the feed, for which it was deleted, unless it is kept; `dryRun` leaves it there.
    package func validate(_ url: ResourceURL, maxAge: MaxAge, dryRun: Bool = false) async throws(FeedError) -> Fault? {
        let (fault, saved) = try await fault(of: url, maxAge)
        guard !Task.isCancelled else { throw .cancelled }
        // Items that had left the feed in an archive stay until the user gives a `keep` for it.
        if let saved, saved.keep == nil, saved.keptCount > 0 {
            if case .stale? = fault { return nil }
            return fault
        }
        if let saved, let keep = saved.keep, !keep.isNone {
            // A mirror outlives its server.
            if case .stale? = fault { return try await letGo(of: saved, keep, dryRun: dryRun) }
            return try await letGo(of: saved, keep, dryRun: dryRun) ?? fault
        }
        guard let fault else { return nil }
        if case .ahead = fault { return fault }
        if !dryRun {
            try await store.change { change throws(FeedError) in try change.delete(url) }
        }
        return fault
    }

    private func letGo(of saved: SavedFeed, _ keep: Keep, dryRun: Bool) async throws(FeedError) -> Fault? {
        if saved.keptCount == 0 || keep == .forever { return nil }
        guard let whole = try await store.retrieve(saved.url, withKept: true) else { return nil }
        let moment = now()
        let covered = keep.covered(
            of: whole.kept, besides: whole.feed.images, savedAt: whole.savedAt, now: moment)
        guard covered.count < whole.kept.count else { return nil }
        if !dryRun {
            try await store.change { change throws(FeedError) in
                try change.letGo(from: saved.url, by: keep, now: moment)
            }
        }
        return .letGo(images: whole.kept.count - covered.count)
    }

    /// Of a disk that fails to be read just now, nothing is known of the feed: that is no fault of its own.
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
