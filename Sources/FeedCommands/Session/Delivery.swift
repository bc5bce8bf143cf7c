import FeedCore

/// A cache for a command whose first duty is to deliver: it is read, and opened for writing only when there is something
/// to save. Where it can't be read it is taken for empty.
struct Delivery {
    /// For reading; its feeds know to save.
    let cache: Cache
    /// Why the cache can't be read.
    var unread: FeedError?

    /// Where something was had from its server; `failure` is why it was not saved.
    static func source(_ failure: FeedError?) -> String {
        "from its server, \(failure == nil ? "saved" : "not saved")"
    }

    /// What the cache might have had is not missing: nobody knows.
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
            return delivery(of: try await openCache(.read))
        } catch let error where error.standsInTheWay {
            return delivery(of: try await openCache(.none), unread: error)
        } catch let error where error.kind == .storage(.unreadable) {
            // Who opens it for writing may come to what is damaged only later, or not at all.
            do { return delivery(of: try await openForSaving()) } catch let other { throw other.notSaved ?? error }
        }
    }

    private func delivery(of cache: Cache, unread: FeedError? = nil) -> Delivery {
        let feeds = LateFeedStore(cache.feeds) { () async throws(FeedError) in try await openForSaving().feeds }
        return Delivery(cache: Cache(feeds: feeds, images: cache.images, transfer: cache.transfer), unread: unread)
    }

    /// What was open to be read is closed: on a full disk a cache can't be opened for writing beside somebody who reads.
    func openForSaving() async throws(FeedError) -> Cache {
        await closeCaches()
        return try await openCache(.write(lockWait: settings.lockWait))
    }
}

extension FeedError {
    /// Why something was not saved, if somebody has to do something about it: who holds the lock does the saving.
    var notSaved: FeedError? { kind == .storage(.locked) ? nil : self }

    /// What is at the cache's path can't be used, or not now; which says nothing of a cache that is damaged, or a newer
    /// program's.
    fileprivate var standsInTheWay: Bool {
        [.storage(.cannotCreate), .storage(.failed), .storage(.busy), .storage(.locked)].contains(kind)
    }
}
