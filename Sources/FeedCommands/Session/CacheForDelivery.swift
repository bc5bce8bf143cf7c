import FeedCore

/// The cache of `show` and `image`, which deliver first and save second. It is open for reading until there is
/// something to save. An unreadable cache counts as empty.
struct CacheForDelivery {
    /// The cache, open for reading. Its feed store opens it for writing when something is saved.
    let cache: Cache
    /// The error if the cache cannot be read.
    var unread: FeedError?

    /// Returns the words for a feed or image from its server. `failure` is the error if it was not saved.
    static func source(_ failure: FeedError?) -> String {
        "from its server, \(failure == nil ? "saved" : "not saved")"
    }

    /// Adds the error of the cache to the error of `load`, because the cache may contain what was not found.
    func explaining<Outcome>(
        _ load: () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        do {
            return try await load()
        } catch {
            guard let unread, !error.isCancellation else { throw error }
            throw error.adding(", and the cache can't be read: \(unread.message)")
        }
    }
}

extension Session {
    func openForDelivery() async throws(FeedError) -> CacheForDelivery {
        do {
            return delivery(of: try await openCacheOrEmpty())
        } catch let error where error.standsInTheWay {
            return delivery(of: try await openCache(.none), unread: error)
        } catch let error where error.kind == .storage(.unreadable) {
            // A cache that is open for writing may reach the damaged part later, or not at all.
            do { return delivery(of: try await openForSaving()) } catch let other { throw other.notSaved ?? error }
        }
    }

    private func delivery(of cache: Cache, unread: FeedError? = nil) -> CacheForDelivery {
        let feeds = LateFeedStore(cache.feeds) { () async throws(FeedError) in try await openForSaving().feeds }
        let late = Cache(feeds: feeds, images: cache.images, transfer: cache.transfer, waits: cache.waits)
        return CacheForDelivery(cache: late, unread: unread)
    }

    /// Opens the cache for writing. It is closed first: on a full disk, SQLite cannot open it for writing while it is
    /// open for reading.
    func openForSaving() async throws(FeedError) -> Cache {
        await closeCaches()
        return try await openCache(.write(lockWait: settings.lockWait))
    }
}

extension FeedError {
    /// The error to report if saving failed; nil if another run holds the lock, because that run saves.
    var notSaved: FeedError? { kind == .storage(.locked) ? nil : self }

    /// Whether something at the path of the cache prevents opening it. A damaged cache, and the cache of a newer
    /// version, are other cases.
    fileprivate var standsInTheWay: Bool {
        [.storage(.cannotCreate), .storage(.failed), .storage(.busy), .storage(.locked)].contains(kind)
    }
}
