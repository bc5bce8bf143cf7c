import FeedCore

/// The cache of a command that delivers first and saves second. It is only read until there is something to save. Where it
/// can't be read it is taken for empty.
struct Delivery {
    /// Open for reading. Its feed store opens it for writing when something is saved.
    let cache: Cache
    /// Why the cache can't be read.
    var unread: FeedError?

    /// Says that a feed or image came from its server; `failure` is why it was not saved.
    static func source(_ failure: FeedError?) -> String {
        "from its server, \(failure == nil ? "saved" : "not saved")"
    }

    /// Adds to an error that the cache can't be read: what was not found may be in it.
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
    func openForDelivery() async throws(FeedError) -> Delivery {
        do {
            return delivery(of: try await openCacheToBe())
        } catch let error where error.standsInTheWay {
            return delivery(of: try await openCache(.none), unread: error)
        } catch let error where error.kind == .storage(.unreadable) {
            // Opened for writing, it may come to the damaged part later, or not at all.
            do { return delivery(of: try await openForSaving()) } catch let other { throw other.notSaved ?? error }
        }
    }

    private func delivery(of cache: Cache, unread: FeedError? = nil) -> Delivery {
        let feeds = LateFeedStore(cache.feeds) { () async throws(FeedError) in try await openForSaving().feeds }
        let late = Cache(feeds: feeds, images: cache.images, transfer: cache.transfer, waits: cache.waits)
        return Delivery(cache: late, unread: unread)
    }

    /// Closes the cache first: on a full disk it can't be opened for writing while somebody reads it.
    func openForSaving() async throws(FeedError) -> Cache {
        await closeCaches()
        return try await openCache(.write(lockWait: settings.lockWait))
    }
}

extension FeedError {
    /// Nil for a held lock: the run that holds it does the saving, and nobody has to act.
    var notSaved: FeedError? { kind == .storage(.locked) ? nil : self }

    /// Something at the cache's path keeps it from being opened. A damaged cache or a newer program's is another matter.
    fileprivate var standsInTheWay: Bool {
        [.storage(.cannotCreate), .storage(.failed), .storage(.busy), .storage(.locked)].contains(kind)
    }
}
