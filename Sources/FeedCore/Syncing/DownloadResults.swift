import Synchronization

/// The result of downloading the images of a run.
package struct DownloadOutcome: Sendable {
    package var report = ImagesReport()
    /// The failure of the store that ended the downloads early.
    package var fatal: FeedError?
}

/// The results of the downloads of one run.
final class DownloadResults: Sendable {
    private struct State {
        var outcome = DownloadOutcome()
        /// The result of each URL so far, if a URL can be requested in several ways.
        var results: [ResourceURL.Key: ImageResultKind] = [:]
        /// The places of URLs in the list of failures, if a URL can be requested in several ways.
        private var failureNumbers: [ResourceURL.Key: Int] = [:]

        /// Adds a failed image.
        ///
        /// Returns false if its URL failed before, for another feed.
        mutating func fail(_ url: ResourceURL, _ error: FeedError, of feed: ResourceURL?, inSeveralWays: Bool) -> Bool {
            let feeds = feed.map { [$0] } ?? []
            guard count(url, .failed, inSeveralWays: inSeveralWays) else {
                if let number = failureNumbers[url.key] { outcome.report.failures[number].feeds += feeds }
                return false
            }
            if inSeveralWays { failureNumbers[url.key] = outcome.report.failures.count }
            outcome.report.failures.append(ImagesReport.Failure(url: url, error: error, feeds: feeds))
            return true
        }

        /// Counts a result.
        ///
        /// Returns false if the URL has an equal or worse result.
        mutating func count(_ url: ResourceURL, _ result: ImageResultKind, inSeveralWays: Bool) -> Bool {
            if inSeveralWays {
                let old = results[url.key]
                if let old, old.rawValue >= result.rawValue { return false }
                results[url.key] = result
                if let old { add(-1, to: old) }
            }
            add(1, to: result)
            return true
        }

        private mutating func add(_ number: Int, to result: ImageResultKind) {
            switch result {
            case .skipped: outcome.report.skipped += number
            case .cached: outcome.report.cached += number
            case .downloaded: outcome.report.downloaded += number
            // Failures are counted by their list.
            case .failed: break
            }
        }
    }

    private let state = Mutex(State())
    private let scheduler: RequestScheduler
    private let events: SyncEvents?
    /// Whether a URL can be requested in several ways, which takes a run of several feeds.
    private let inSeveralWays: Bool
    private let (running, ending) = AsyncStream.makeStream(of: Never.self)

    init(of scheduler: RequestScheduler, events: SyncEvents?, inSeveralWays: Bool) {
        self.scheduler = scheduler
        self.inSeveralWays = inSeveralWays
        self.events = events
    }

    var outcome: DownloadOutcome { state.withLock { $0.outcome } }

    /// Records what the planner has counted for URLs that are requested now.
    func begin(_ images: [WantedImage]) {
        guard inSeveralWays else { return }
        state.withLock { state in
            for image in images {
                guard let counted = image.counted, state.results[image.image.key] == nil else { continue }
                state.results[image.image.key] = counted
            }
        }
    }

    func answered() { events?.yield(.imageAnswered) }

    /// Counts images whose URLs have all failed.
    ///
    /// A failure of the store ends the run, unless it concerns a single image. A cancelled image is skipped.
    func failed(_ images: [ImagesUnderWay.FailedImage]) {
        for image in images {
            if image.error.isCancellation { continue }
            if image.error.isFatal {
                stop(image.error)
            } else if image.hasOtherData {
                if count(image.image, .cached) { events?.yield(.imageUnchanged(image.image)) }
            } else if image.error.smallSize != nil {
                if count(image.image, .skipped) { events?.yield(.imageTooSmall(image.image, image.error)) }
            } else {
                fail(image.image, image.error, of: image.feed)
            }
        }
    }

    /// Counts the results of publishing, which are in the order of the images, for the images that get the data.
    ///
    /// With an `exhaustion` of the store, the images that were left out are skipped, because it ends the run.
    func published(
        _ images: [ReceivedImage], for receivers: [[WantedImage]], _ results: [Result<StoredImage, FeedError>],
        _ exhaustion: FeedError?
    ) {
        for ((image, receivers), result) in zip(zip(images, receivers), results) {
            switch result {
            case .success:
                state.withLock { $0.outcome.report.bytes += image.size }
                for url in receivers.urls where count(url, .downloaded) {
                    events?.yield(.imageDownloaded(url, bytes: image.size))
                }
            case .failure(let error) where exhaustion == nil:
                for url in receivers.urls { fail(url, error) }
            case .failure: break
            }
        }
    }

    private func count(_ url: ResourceURL, _ result: ImageResultKind) -> Bool {
        state.withLock { [inSeveralWays] in $0.count(url, result, inSeveralWays: inSeveralWays) }
    }

    func confirmed(_ receivers: [[WantedImage]]) {
        for images in receivers {
            for url in images.urls where count(url, .cached) { events?.yield(.imageUnchanged(url)) }
        }
    }

    /// Stops all downloads because of this error.
    ///
    /// The first error is kept.
    func stop(_ error: FeedError) {
        state.withLock { $0.outcome.fatal = $0.outcome.fatal ?? error }
        scheduler.stop()
        ending.finish()
    }

    /// Waits until the downloads are stopped, or the task is cancelled.
    func untilStopped() async {
        for await _ in running {}
    }

    private func fail(_ url: ResourceURL, _ error: FeedError, of feed: ResourceURL? = nil) {
        let isFirst = state.withLock { [inSeveralWays] in
            $0.fail(url, error, of: feed, inSeveralWays: inSeveralWays)
        }
        if isFirst { events?.yield(.imageFailed(url, error)) }
    }
}

extension FeedError {
    /// Whether the cache itself is in trouble, so that everything else would fail as well.
    ///
    /// Unreadable rows of one feed fail only this feed, and a limit that an image exceeds fails only this image.
    var isFatal: Bool {
        switch kind {
        case .storage(.unreadable), .storage(.limited): false
        case .storage: true
        default: false
        }
    }
}
