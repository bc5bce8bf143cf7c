import FeedCore

/// A cache for a command whose first duty is to deliver: where it can't be written it is only read, and where it can't be
/// read either it is taken for empty.
struct Delivery {
    let cache: Cache
    let saves: Bool
    /// Why nothing can be saved, if somebody has to do something about it.
    var problem: FeedError?
    /// Why the cache can't be read.
    var unread: FeedError?

    /// Where something was had from its server; `failure` is why it could not be saved.
    func source(_ failure: FeedError?) -> String {
        "from its server, \(saves && failure == nil ? "saved" : "not saved")"
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
            return Delivery(cache: try await openCache(.write(lockWait: settings.lockWait)), saves: true)
        } catch let error where error.kind == .storage(.locked) {
            return try await openForReading(instead: nil)
        } catch let error where error.standsInTheWay {
            return try await openForReading(instead: error)
        }
    }

    private func openForReading(instead problem: FeedError?) async throws(FeedError) -> Delivery {
        do {
            return Delivery(cache: try await openCache(.read), saves: false, problem: problem)
        } catch let error where error.standsInTheWay {
            return Delivery(cache: try await openCache(.none), saves: false, problem: problem ?? error, unread: error)
        }
    }
}

extension FeedError {
    /// What is at the cache's path can't be used; which says nothing of a cache that is damaged, or a newer program's.
    fileprivate var standsInTheWay: Bool { kind == .storage(.cannotCreate) || kind == .storage(.failed) }
}
