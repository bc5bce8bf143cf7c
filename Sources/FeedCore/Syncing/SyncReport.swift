/// The result of one run.
///
/// Its output, in every form, and its exit code are made from this report.
package struct SyncReport: Hashable, Sendable {
    package let feeds: [FeedReport]
    package let images: ImagesReport
    /// The failure of the cache that ended the run early.
    package let fatal: FeedError?
    package let wasCancelled: Bool
    /// Why the troubles of feeds could not be saved.
    ///
    /// The run has still done its work.
    package let noteFailure: FeedError?
    /// The pauses that later runs have to respect.
    package let waits: [FeedWait]

    package init(
        feeds: [FeedReport], images: ImagesReport, fatal: FeedError? = nil, wasCancelled: Bool = false,
        noteFailure: FeedError? = nil, waits: [FeedWait] = []
    ) {
        self.feeds = feeds
        self.images = images
        self.fatal = fatal
        self.wasCancelled = wasCancelled
        self.noteFailure = noteFailure
        self.waits = waits
    }
}

/// The result of one run for one feed.
package struct FeedReport: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case updated, unchanged
        /// The server could not be reached, and the saved feed is fresh.
        case offline
        /// The feed was skipped, because the saved feed is recent enough or the server has asked for a pause. The error
        /// says until when.
        case waiting
        case failed
    }

    package let url: ResourceURL
    package let outcome: Outcome
    /// The number of current images.
    package let images: Int
    /// The number of kept images.
    package let kept: Int
    package let savedAt: Timestamp?
    package let error: FeedError?
    /// The new URL of a feed that has moved permanently, if this run is the first to report it.
    package let movedTo: ResourceURL?
    /// Messages to the user about parts of the feed that were left out.
    package let notes: [String]
    /// Whether the feed had images the last time, and is empty now.
    package let hasEmptied: Bool

    /// The error, unless the saved feed serves instead.
    package var failure: FeedError? { outcome == .failed || savedAt == nil ? error : nil }

    /// The error of a further page, although the feed is saved.
    package var pageFailure: FeedError? { outcome == .updated || outcome == .unchanged ? error : nil }

    /// The failure of the feed or of a further page.
    package var ownFailure: FeedError? { failure ?? pageFailure }

    package init(
        url: ResourceURL, outcome: Outcome, images: Int = 0, kept: Int = 0, savedAt: Timestamp? = nil,
        error: FeedError?, movedTo: ResourceURL? = nil, notes: [String] = [], hasEmptied: Bool = false
    ) {
        self.url = url
        self.outcome = outcome
        self.images = images
        self.kept = kept
        self.savedAt = savedAt
        self.error = error
        self.movedTo = movedTo
        self.notes = notes
        self.hasEmptied = hasEmptied
    }
}

/// Counts the images of a run by result.
///
/// Every distinct URL is counted once in `total`, and once in its result.
package struct ImagesReport: Hashable, Sendable {
    package struct Failure: Hashable, Sendable {
        package let url: ResourceURL
        package let error: FeedError
        /// The feeds that lack the image.
        package var feeds: [ResourceURL] = []

        package init(url: ResourceURL, error: FeedError, feeds: [ResourceURL] = []) {
            self.url = url
            self.error = error
            self.feeds = feeds
        }
    }

    /// The images of a feed that were skipped after the same permanent failure, whatever their hosts.
    package struct LeftAlone: Hashable, Sendable {
        private let feed: ResourceURL.Key
        private let kind: FeedError.Kind
        private let status: Int?

        package init(_ error: FeedError, of feed: ResourceURL) {
            self.feed = feed.key
            kind = error.kind
            status = error.status
        }

        init(_ failure: ReportedFailure) {
            feed = failure.feed.key
            kind = failure.cause.kind
            status = failure.cause.status
        }
    }

    package var total = 0
    /// The number of images that were in the cache and are unchanged.
    package var cached = 0
    package var downloaded = 0
    /// The number of images that were skipped on purpose: images of feeds that are out of reach or wait, and images
    /// after a permanent failure.
    package var skipped = 0
    package var failures: [Failure] = []
    package var leftAlone: Set<LeftAlone> = []
    /// The size of the images that were downloaded in this run.
    package var bytes: Int64 = 0

    package var failed: Int { failures.count }

    package init() {}

    static func + (left: ImagesReport, right: ImagesReport) -> ImagesReport {
        var sum = left
        sum.total += right.total
        sum.cached += right.cached
        sum.downloaded += right.downloaded
        sum.skipped += right.skipped
        sum.failures += right.failures
        sum.leftAlone.formUnion(right.leftAlone)
        sum.bytes += right.bytes
        return sum
    }
}

/// Receives the events of a run.
///
/// It is a class, because a run checks for each image several times whether there is a receiver, and a reference is
/// cheap to check.
package final class SyncEvents: Sendable {
    private let end: AsyncStream<SyncEvent>.Continuation

    private init(_ end: AsyncStream<SyncEvent>.Continuation) { self.end = end }

    package static func makeStream() -> (AsyncStream<SyncEvent>, SyncEvents) {
        let (stream, end) = AsyncStream.makeStream(of: SyncEvent.self)
        return (stream, SyncEvents(end))
    }

    package func yield(_ event: SyncEvent) { end.yield(event) }

    package func finish() { end.finish() }
}

/// A step of a run, reported as it happens.
package enum SyncEvent: Sendable {
    case feed(FeedReport)
    /// A step on the way to saving the feed.
    case feedStep(ResourceURL, FeedStep)
    /// The number of images that this feed is the first to contain, and how many of them are in the cache.
    case imagesFound(ResourceURL, total: Int, cached: Int)
    /// The number of further images that were planned, and how many of them will be requested.
    case imagesSurveyed(Int, wanted: Int)
    /// The request of an image has ended. Its result is reported when it is stored.
    case imageAnswered
    /// A dry run reports that it would request this image, which is missing from the cache.
    case imageMissing(ResourceURL)
    /// A dry run reports that it would request this image again, which is in the cache.
    case imageToRevalidate(ResourceURL)
    /// The image is in the cache, and needs no request.
    case imageCached(ResourceURL)
    /// The image is missing from the cache, and is skipped because its feed is out of reach or waits.
    case imageSkipped(ResourceURL)
    /// The image is skipped because of its last permanent failure.
    case imageLeftAlone(ResourceURL, RememberedFailure)
    /// The image is smaller than the user wants.
    case imageTooSmall(ResourceURL, FeedError)
    /// The server has confirmed the data in the cache.
    case imageUnchanged(ResourceURL)
    case imageDownloaded(ResourceURL, bytes: Int64)
    case imageFailed(ResourceURL, FeedError)
}
