import Synchronization

package struct DownloadOutcome: Sendable {
    package var report = ImagesReport()
    /// What ended the downloads early: the store itself failed.
    package var fatal: FeedError?
}

/// What became of the images of one run.
final class DownloadLedger: Sendable {
    private let state = Mutex(DownloadOutcome())
    private let traffic: Traffic
    private let events: SyncEvents?
    private let (running, ending) = AsyncStream.makeStream(of: Never.self)

    init(of traffic: Traffic, events: SyncEvents?) {
        self.traffic = traffic
        self.events = events
    }

    var outcome: DownloadOutcome { state.withLock { $0 } }

    func answered() { events?.yield(.imageAnswered) }

    /// A cancelled image is no failure, and a store that fails ends the run instead of failing each image, unless it can
    /// take others.
    func failed(_ url: ResourceURL, _ error: FeedError) {
        if error.isCancellation { return }
        if error.isFatal { stop(error) } else { fail(url, error) }
    }

    /// `failures` has, for each image in order, what went wrong with it alone; with an `exhaustion` of the store, that
    /// is to blame for them.
    func published(_ images: [ReceivedImage], _ failures: [FeedError?], _ exhaustion: FeedError?) {
        let stored = images.indices.filter { failures[$0] == nil }
        state.withLock { outcome in
            outcome.report.downloaded += stored.count
            outcome.report.bytes += stored.reduce(0) { $0 + images[$1].size }
        }
        if let events {
            for index in stored { events.yield(.imageDownloaded(images[index].url, bytes: images[index].size)) }
        }
        guard exhaustion == nil else { return }
        for index in images.indices {
            if let failure = failures[index] { fail(images[index].url, failure) }
        }
    }

    func confirmed(_ images: [ConfirmedImage]) {
        state.withLock { $0.report.cached += images.count }
        for image in images { events?.yield(.imageUnchanged(image.url)) }
    }

    /// Nothing starts any more.
    func stop(_ error: FeedError) {
        state.withLock { $0.fatal = $0.fatal ?? error }
        traffic.stop()
        ending.finish()
    }

    /// Returns when the store has failed, or when it is cancelled.
    func untilStopped() async {
        for await _ in running {}
    }

    private func fail(_ url: ResourceURL, _ error: FeedError) {
        state.withLock { $0.report.failures.append(ImagesReport.Failure(url: url, error: error)) }
        events?.yield(.imageFailed(url, error))
    }
}
