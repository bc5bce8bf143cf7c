/// What one run did: everything that its output, in whatever form, and its exit status are made of.
package struct SyncReport: Hashable, Sendable {
    package let feeds: [FeedReport]
    package let images: ImagesReport
    /// What ended the run early: the cache itself failed.
    package let fatal: FeedError?
    package let wasCancelled: Bool
    /// Why it could not be kept what was wrong with feeds. The run has done its work all the same.
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

package struct FeedReport: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case updated, unchanged
        /// The server could not be reached, and the saved feed is fresh.
        case offline
        /// The server was not asked: the saved feed is new enough, or the server wants to be left alone. The error says
        /// until when.
        case waiting
        case failed
    }

    package let url: ResourceURL
    package let outcome: Outcome
    /// How many images the feed names.
    package let images: Int
    /// How many that left it are kept besides.
    package let kept: Int
    package let savedAt: Timestamp?
    package let error: FeedError?
    /// Where the feed has moved for good, if nobody was told before.
    package let movedTo: ResourceURL?
    /// What the feed names and was left out.
    package let notes: [String]
    /// It had images the last time, and has none now.
    package let hasEmptied: Bool
    /// The user has to name the feed before it may be requested, and no run has said so before.
    package var asksForName = false

    /// The error, unless the saved feed stands in.
    package var failure: FeedError? { outcome == .failed || savedAt == nil ? error : nil }

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

/// Every distinct URL is counted once in `total`, and once in what became of it.
package struct ImagesReport: Hashable, Sendable {
    package struct Failure: Hashable, Sendable {
        package let url: ResourceURL
        package let error: FeedError

        package init(url: ResourceURL, error: FeedError) {
            self.url = url
            self.error = error
        }
    }

    package var total = 0
    /// There, and not downloaded again.
    package var cached = 0
    package var downloaded = 0
    /// Left alone on purpose: images of a feed whose server is out of reach or not asked, and those whose last answer tends
    /// to stay.
    package var skipped = 0
    package var failures: [Failure] = []
    /// Of the images downloaded in this run.
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
        sum.bytes += right.bytes
        return sum
    }
}
