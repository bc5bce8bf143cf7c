/// Decides which failures of a run are new, because cron sends a mail after each run that prints a line.
///
/// | failure of a run                                                              | new |
/// |-------------------------------------------------------------------------------|-----|
/// | failure of the cache, or because the time of the run was over                 | yes |
/// | of a feed: the same failure of it was reported less than 24 hours ago         | no  |
/// | of an image: the same holds for each feed that lacks the image                | no  |
/// | any other                                                                     | yes |
///
/// | a reported failure                                                             | is forgotten   |
/// |--------------------------------------------------------------------------------|----------------|
/// | of a feed that was updated or is unchanged, and has no failed page             | at once        |
/// | of images, when their feed was updated or is unchanged, and no image fails so  | at once        |
/// | of images, one of which is skipped after a permanent failure like this one     | after 24 hours |
/// | of a feed that was not requested, could not be reached, or failed in other ways | after 24 hours |
/// | in a run that ended early                                                      | after 24 hours |
///
/// A moment ahead of the clock comes from a wrong clock, and is forgotten too.
package struct RepeatedFailures: Sendable {
    /// The number of failures that are remembered for each feed.
    ///
    /// A hostile feed may reference images on any number of hosts. Further failures are always new.
    package static let mostOfFeed = 1000
    private static let silence = Duration.seconds(24 * 60 * 60)

    private struct Key: Hashable {
        let feed: ResourceURL.Key
        let subject: ReportedFailure.Subject
        let cause: FailureCause
    }

    /// The failures that were reported less than 24 hours ago, in the order in which they were reported.
    package private(set) var remembered: [ReportedFailure] = []
    private var keys: Set<Key> = []
    private var counts: [ResourceURL.Key: Int] = [:]
    private let now: Timestamp

    /// Begins with the failures that earlier runs have reported.
    package init(_ reported: [ReportedFailure], now: Timestamp) {
        self.now = now
        for failure in reported {
            guard let age = failure.reportedAt.age(at: now), age < Self.silence else { continue }
            remember(failure)
        }
    }

    /// The new failures of a run.
    package struct NewFailures: Sendable {
        /// The feeds that failed, or of which a page failed.
        package let feeds: [FeedReport]
        package let images: [ImagesReport.Failure]

        package var isEmpty: Bool { feeds.isEmpty && images.isEmpty }
    }

    /// Returns all failures of a run, as if each of them were new.
    package static func all(of report: SyncReport) -> NewFailures {
        NewFailures(feeds: report.feeds.filter { $0.ownFailure != nil }, images: report.images.failures)
    }

    /// Returns the new failures of a run, and remembers that they are reported.
    package mutating func takeNew(of report: SyncReport) -> NewFailures {
        let all = Self.all(of: report)
        let new = NewFailures(
            feeds: all.feeds.filter { feed in
                guard let error = feed.ownFailure, error.concernsFeed else { return true }
                return !keys.contains(Key(feed: feed.url.key, subject: .feed, cause: FailureCause(error)))
            },
            images: all.images.filter { failure in
                guard failure.error.concernsFeed, !failure.feeds.isEmpty else { return true }
                let cause = FailureCause(failure.error)
                return !failure.feeds.allSatisfy {
                    keys.contains(Key(feed: $0.key, subject: .images, cause: cause))
                }
            })
        for failure in failures(of: report) { remember(failure) }
        return new
    }

    /// Forgets the failures that this run has shown to be over.
    package mutating func forgetSuccesses(of report: SyncReport) {
        guard !report.endedEarly else { return }
        let failing = Set(failures(of: report).map(Self.key))
        let answered = Set(report.feeds.lazy.filter(\.hasAnswered).map(\.url.key))
        let old = remembered.filter { failure in
            let key = Self.key(of: failure)
            return !answered.contains(key.feed) || failing.contains(key)
                || failure.subject == .images && report.images.leftAlone.contains(.init(failure))
        }
        guard old.count < remembered.count else { return }
        (remembered, keys, counts) = ([], [], [:])
        for failure in old { remember(failure) }
    }

    private mutating func remember(_ failure: ReportedFailure) {
        let key = Self.key(of: failure)
        guard counts[key.feed, default: 0] < Self.mostOfFeed, keys.insert(key).inserted else { return }
        counts[key.feed, default: 0] += 1
        remembered.append(failure)
    }

    private static func key(of failure: ReportedFailure) -> Key {
        Key(feed: failure.feed.key, subject: failure.subject, cause: failure.cause)
    }

    /// Returns the failures of a run that can be the same as those of another run.
    private func failures(of report: SyncReport) -> [ReportedFailure] {
        func failure(of feed: ResourceURL, _ subject: ReportedFailure.Subject, _ error: FeedError) -> ReportedFailure {
            ReportedFailure(feed: feed, subject: subject, cause: FailureCause(error), reportedAt: now)
        }
        var failures: [ReportedFailure] = []
        for feed in report.feeds {
            guard let error = feed.ownFailure, error.concernsFeed else { continue }
            failures.append(failure(of: feed.url, .feed, error))
        }
        for image in report.images.failures where image.error.concernsFeed {
            failures += image.feeds.map { failure(of: $0, .images, image.error) }
        }
        return failures
    }
}

extension FeedError {
    /// Whether the failure concerns a feed or its server.
    ///
    /// The others concern the cache or the run, such as a full disk, a lock, or the end of `--max-time`.
    fileprivate var concernsFeed: Bool {
        switch kind {
        case .connectivity, .invalidData, .notFound: !isOutOfTime
        case .storage, .cancelled: false
        }
    }
}

extension FeedReport {
    /// Whether the server has returned the feed or confirmed it.
    fileprivate var hasAnswered: Bool { outcome == .updated || outcome == .unchanged }
}

extension SyncReport {
    /// Whether the run ended before it had tried everything.
    fileprivate var endedEarly: Bool {
        wasCancelled || fatal != nil || feeds.contains { $0.error?.isOutOfTime == true }
            || images.failures.contains { $0.error.isOutOfTime }
    }
}
