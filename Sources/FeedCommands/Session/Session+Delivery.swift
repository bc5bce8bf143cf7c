import FeedCore

/// The saved feeds for `show`, which delivers a feed even if the cache is unusable.
///
/// The cache is open only during each call, so that other runs can use it while a server is asked.
struct BrieflyOpenedFeeds: FeedStore {
    let session: Session

    func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed? {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.retrieve(url, withKept: withKept)
        }
    }

    func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage] {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.keptWithoutData(of: url)
        }
    }

    func imageIDs(of url: ResourceURL) async throws(FeedError) -> SavedImageIDs {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in try await cache.feeds.imageIDs(of: url) }
    }

    func countKept(of url: ResourceURL, excludedBy keep: Keep, now: Timestamp) async throws(FeedError) -> Int {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.countKept(of: url, excludedBy: keep, now: now)
        }
    }

    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try await session.withCache(session.saving) { cache throws(FeedError) in try await cache.feeds.change(work) }
    }

    func removed(from url: ResourceURL) async throws(FeedError) -> RemovedImages {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.removed(from: url)
        }
    }

    func images(at url: ResourceURL) async throws(FeedError) -> [ImageOfFeed] {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in try await cache.feeds.images(at: url) }
    }

    func feeds(withRemoved url: ResourceURL) async throws(FeedError) -> [ResourceURL] {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
            try await cache.feeds.feeds(withRemoved: url)
        }
    }

    func summaries() async throws(FeedError) -> [FeedSummary] {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in try await cache.feeds.summaries() }
    }
}

extension Session {
    /// Throws if the database is damaged, or written by a newer version.
    ///
    /// Any other error of the cache is reported after the delivery.
    func requireReadableCache() async throws(FeedError) {
        do throws(FeedError) {
            try await withCache(.readOrEmpty) { _ in }
        } catch {
            switch error.kind {
            case .storage(.unreadable):
                // A run that writes continues with the empty database of a killed run.
                do { try await withCache(saving) { _ in } } catch let other { throw other.notSaved ?? error }
            case .storage(.newerVersion), .cancelled: throw error
            default: break
            }
        }
    }

    /// Returns the words for a feed or image from its server.
    static func source(isSaved: Bool) -> String { "from its server, \(isSaved ? "saved" : "not saved")" }
}

extension FeedError {
    /// The error to report if saving failed; nil if another run holds the lock, because that run saves.
    var notSaved: FeedError? { kind == .storage(.locked) ? nil : self }
}
