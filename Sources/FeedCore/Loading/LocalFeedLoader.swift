/// Use cases: load a feed from the cache, and save a feed to it.
package struct LocalFeedLoader: Sendable {
    package enum Loaded: Hashable, Sendable {
        case fresh(SavedFeed)
        case stale(Staleness)
        case neverSaved

        /// Returns the saved feed if it is fresh, and throws the reason otherwise.
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

    /// Loads a fresh feed.
    ///
    /// A stale feed stays in the cache.
    package func load(
        _ url: ResourceURL, maxAge: MaxAge, withKept: Bool = false
    ) async throws(FeedError) -> Loaded {
        guard let saved = try await retrieve(url, withKept: withKept) else { return .neverSaved }
        return isFresh(saved, maxAge: maxAge) ? .fresh(saved) : .stale(Staleness(savedAt: saved.savedAt, now: now()))
    }

    func isFresh(_ saved: SavedFeed, maxAge: MaxAge) -> Bool {
        FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now(), maxAge: maxAge)
    }

    /// Returns the saved feed of any age, to compare a response with it.
    package func retrieve(_ url: ResourceURL, withKept: Bool = false) async throws(FeedError) -> SavedFeed? {
        let saved = try await store.retrieve(url, withKept: withKept)
        guard !Task.isCancelled else { throw .cancelled }
        return saved
    }

    /// Returns the images that the user removed from the feed.
    func removed(from url: ResourceURL) async throws(FeedError) -> RemovedImages {
        try await store.removed(from: url)
    }

    /// Saves a `--keep`, which also counts if the request fails afterwards.
    func hold(_ keep: Keep, for url: ResourceURL) async throws(FeedError) {
        try await store.change { change throws(FeedError) in try change.setKeep(keep, of: url) }
    }

    /// Returns the kept images whose data may be requested.
    func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage] {
        try await store.keptWithoutData(of: url)
    }

    /// Returns the ids of the current and kept images.
    func imageIDs(of url: ResourceURL) async throws(FeedError) -> SavedImageIDs {
        try await store.imageIDs(of: url)
    }

    /// The result of saving a feed.
    package struct Saved: Hashable, Sendable {
        package let moment: Timestamp
        /// The number of kept images that have left the feed.
        package var keptCount = 0
        /// The kept images that are in the feed again.
        package var returned: [FeedImage] = []
        /// Why a further page could not be loaded, although the pages before it are saved.
        var pageFailure: FeedError?
        /// Notes about the further pages.
        var notes: [String] = []
        /// What a run has to know about the web pages to which items of further pages link.
        var linkedPages = LinkedPagesReport()
    }

    /// Deletes the old items, timestamps and saves, in this order and in one transaction: a save that fails leaves the
    /// old feed as it was.
    ///
    /// With `keep`, the items of `old` that have left the feed stay. If the user never gave a `keep`, only items stay
    /// that had left the feed in an archive. New items under a known URL await its next data. `tell` reports the steps.
    package func save(
        _ new: SavedFeed, over old: SavedFeed?,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Saved {
        try await store.change { [now] change throws(FeedError) in
            try Self.requireUnchanged(old, in: change)
            if old != nil { tell(.deletingOld) }
            try change.deleteItems(of: new.url, keepingLeft: new.keep?.isNone != true)
            tell(.encoding(images: new.feed.images.count))
            // An image can have been removed since the feed was requested.
            let new = Self.timestamp(new, now(), tell).without(try change.removed(from: new.url))
            tell(.saving)
            try change.insert(new)
            let returned = try change.takeBack(to: new.url)
            if let old {
                let changes = FeedChanges(
                    from: old.feed, to: new.feed, returned: returned, lastSeen: old.savedAt)
                try change.rename(changes.renamed, of: new.url)
                try change.awaitData(of: changes.new, of: new.url)
                if new.keep?.isNone == false {
                    try change.keep(changes.left, fromArchive: old.isFromArchive, of: new.url)
                }
            }
            if let keep = new.keep, !keep.isNone { try change.letGo(from: new.url, by: keep, now: new.savedAt) }
            return Saved(moment: new.savedAt, keptCount: try change.countKept(of: new.url), returned: returned)
        }
    }

    /// Saves the new images of an older page and the walks that later runs continue, in one transaction.
    ///
    /// It returns the number of kept images. If `keep` covers none of the new images, the walks are `ifFull`: further
    /// pages are older still.
    func savePage(
        _ images: [FeedImage], of saved: SavedFeed, by keep: Keep, walks: [OpenWalk], ifFull: [OpenWalk]
    ) async throws(FeedError) -> (keptCount: Int, walks: [OpenWalk]) {
        try await store.change { [now] change throws(FeedError) in
            try Self.requireUnchanged(saved, in: change)
            let before = try change.countKept(of: saved.url)
            try change.keep(images, fromArchive: false, of: saved.url)
            try change.letGo(from: saved.url, by: keep, now: now())
            let count = try change.countKept(of: saved.url)
            let left = !images.isEmpty && count <= before ? ifFull : walks
            try change.setWalks(left, of: saved.url)
            return (count, left)
        }
    }

    /// Throws if another run has saved the feed since `old` was read, because that run has done the work.
    private static func requireUnchanged(
        _ old: SavedFeed?, in change: any FeedStoreChange
    ) throws(FeedError) {
        guard let old, let savedAt = try change.savedAt(old.url), savedAt != old.savedAt else { return }
        throw .storage(.locked, "another feedsync run has saved \(old.url) meanwhile")
    }

    /// Remembers why these feeds could not be had, of those that are saved.
    func note(_ troubles: [(url: ResourceURL, trouble: FeedTrouble)]) async throws(FeedError) {
        try await store.change { change throws(FeedError) in
            for (url, trouble) in troubles { try change.note(trouble, of: url) }
        }
    }

    /// The saved feed was shown to be the server's latest: only what is saved besides is renewed.
    ///
    /// Where another run has deleted it meanwhile, it is saved again.
    package func confirm(
        _ new: SavedFeed, over old: SavedFeed,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Saved {
        try await store.change { [now] change throws(FeedError) in
            try Self.requireUnchanged(old, in: change)
            let new = Self.timestamp(new, now(), tell)
            tell(.confirming)
            do throws(FeedError) {
                try change.confirm(new)
            } catch {
                guard error.kind == .notFound else { throw error }
                try change.insert(new.without(try change.removed(from: new.url)))
            }
            // The items that a count covers change only with the feed.
            if let keep = new.keep, keep.isOfAge || keep != old.keep {
                try change.letGo(from: new.url, by: keep, now: new.savedAt)
            }
            return Saved(moment: new.savedAt, keptCount: try change.countKept(of: new.url))
        }
    }

    private static func timestamp(_ new: SavedFeed, _ moment: Timestamp, _ tell: (FeedStep) -> Void) -> SavedFeed {
        tell(.timestamped(moment))
        return new.at(moment)
    }
}

/// A step of saving a feed at its beginning.
package enum FeedStep: Hashable, Sendable {
    case deletingOld
    case encoding(images: Int)
    case timestamped(Timestamp)
    case saving
    /// A further page is saved, with this number of new images.
    case savingPage(Int, images: Int)
    /// Only the timestamp and the validators are renewed.
    case confirming
    /// This many pages that items link to are due. A dry run requests none of them.
    case following(pages: Int)
    /// A page was read.
    case followed(ResourceURL, images: Int)
}
