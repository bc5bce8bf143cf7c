import FeedCore
import TestDoubles
import Testing

private let gone = FeedError.invalidData("HTTP 410", status: 410, host: "a.example")
private let missing = FeedError.invalidData("HTTP 404", status: 404, host: "a.example")
private let other = FeedError.invalidData("HTTP 410", status: 410, host: "b.example")
private let refused = FeedError.connectivity("refused", host: "a.example")

private func moment(_ hour: Double) -> Timestamp {
    Timestamp(microseconds: 1_774_744_200_000_000) + .seconds(3600 * hour)
}

@Suite("Failures that were reported before")
struct RepeatedFailuresTests {
    /// What happens to a feed and its images in one run.
    enum Run: Sendable {
        case works
        case feed(FeedError)
        case page(FeedError)
        case offline
        case waiting
        case images([FeedError])
        /// An image was skipped after this permanent failure.
        case leftAlone(FeedError)
        case stopped
        /// The time of the run was over before an image came.
        case outOfTime
        /// The run has another feed.
        case another

        var report: SyncReport {
            var images = ImagesReport()
            var feed = FeedReport(url: .first, outcome: .unchanged, savedAt: moment(0), error: nil)
            var wasCancelled = false
            switch self {
            case .works: break
            case .feed(let error): feed = FeedReport(url: .first, outcome: .failed, error: error)
            case .page(let error):
                feed = FeedReport(url: .first, outcome: .updated, savedAt: moment(0), error: error)
            case .offline:
                feed = FeedReport(url: .first, outcome: .offline, savedAt: moment(0), error: .connectivity("down"))
            case .waiting: feed = FeedReport(url: .first, outcome: .waiting, savedAt: moment(0), error: nil)
            case .images(let errors):
                images.failures = errors.enumerated().map { .init(url: .image($0), error: $1, feeds: [.first]) }
            case .leftAlone(let error): images.leftAlone = [.init(error, of: .first)]
            case .stopped: wasCancelled = true
            case .outOfTime:
                let error = FeedError.connectivity("not finished").asOutOfTime()
                images.failures = [.init(url: .image(9), error: error, feeds: [.first])]
            case .another: feed = FeedReport(url: .second, outcome: .updated, savedAt: moment(0), error: nil)
            }
            return SyncReport(feeds: [feed], images: images, wasCancelled: wasCancelled)
        }
    }

    /// A run, and the number of failures that it reports.
    struct Step: Sendable {
        let hour: Double
        let run: Run
        let new: Int

        init(_ hour: Double, _ run: Run, new: Int) {
            self.hour = hour
            self.run = run
            self.new = new
        }
    }

    private func expect(_ steps: [Step]) {
        var reported: [ReportedFailure] = []
        for (number, step) in steps.enumerated() {
            var failures = RepeatedFailures(reported, now: moment(step.hour))
            failures.forgetSuccesses(of: step.run.report)
            let new = failures.takeNew(of: step.run.report)
            #expect(new.feeds.count + new.images.count == step.new, "step \(number)")
            reported = failures.remembered
        }
    }

    @Test(
        "the same failure of a feed is new once in 24 hours",
        arguments: [
            [Step(0, .feed(gone), new: 1), Step(1, .feed(gone), new: 0), Step(23.99, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(24, .feed(gone), new: 1), Step(25, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(1, .feed(missing), new: 1), Step(2, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(1, .feed(other), new: 1), Step(2, .feed(refused), new: 1)],
            [Step(0, .page(gone), new: 1), Step(1, .page(gone), new: 0), Step(2, .images([gone]), new: 1)],
        ])
    func feed(_ steps: [Step]) { expect(steps) }

    @Test(
        "a failure is new after a success, but not after a run that proves nothing",
        arguments: [
            [Step(0, .feed(gone), new: 1), Step(1, .works, new: 0), Step(2, .feed(gone), new: 1)],
            [Step(0, .feed(gone), new: 1), Step(1, .images([gone]), new: 1), Step(2, .feed(gone), new: 1)],
            [Step(0, .feed(gone), new: 1), Step(1, .offline, new: 0), Step(2, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(1, .waiting, new: 0), Step(2, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(1, .another, new: 0), Step(2, .feed(gone), new: 0)],
            [Step(0, .feed(gone), new: 1), Step(1, .stopped, new: 0), Step(2, .feed(gone), new: 0)],
            [Step(0, .images([gone]), new: 1), Step(1, .works, new: 0), Step(2, .images([gone]), new: 1)],
            [Step(0, .images([gone]), new: 1), Step(1, .leftAlone(gone), new: 0), Step(2, .images([gone]), new: 0)],
            [Step(0, .images([gone]), new: 1), Step(1, .leftAlone(missing), new: 0), Step(2, .images([gone]), new: 1)],
            [Step(0, .images([gone]), new: 1), Step(1, .outOfTime, new: 1), Step(2, .images([gone]), new: 0)],
            [Step(0, .images([gone]), new: 1), Step(1, .feed(gone), new: 1), Step(2, .images([gone]), new: 0)],
        ])
    func success(_ steps: [Step]) { expect(steps) }

    @Test(
        "each cause of the images of a feed counts for itself",
        arguments: [
            [
                Step(0, .images([gone, other]), new: 2), Step(1, .images([gone, other, missing]), new: 1),
                Step(2, .images([other, missing, gone]), new: 0),
            ],
            [
                Step(0, .images([gone, other]), new: 2), Step(1, .images([other]), new: 0),
                Step(2, .images([gone, other]), new: 1),
            ],
            [Step(0, .images([gone, gone]), new: 2), Step(1, .images([gone, gone, gone]), new: 0)],
        ])
    func causes(_ steps: [Step]) { expect(steps) }

    @Test(
        "a failure of the cache or of the run's time is always new",
        arguments: [
            FeedError.storage(.failed, "disk full"), .storage(.locked, "locked"), .storage(.unreadable, "damaged"),
            .connectivity("not finished").asOutOfTime(),
        ])
    func ofTheRun(_ error: FeedError) {
        expect([
            Step(0, .feed(error), new: 1), Step(1, .feed(error), new: 1), Step(2, .images([error]), new: 1),
            Step(3, .images([error]), new: 1),
        ])
    }

    @Test("a failure that was reported ahead of the clock is new")
    func ahead() { expect([Step(48, .feed(gone), new: 1), Step(0, .feed(gone), new: 1)]) }

    @Test("an image of several feeds fails anew if the failure is new for one of them")
    func severalFeeds() {
        func report(_ feeds: [ResourceURL]) -> SyncReport {
            var images = ImagesReport()
            images.failures = [.init(url: .image(0), error: gone, feeds: feeds)]
            return SyncReport(feeds: [], images: images)
        }
        var failures = RepeatedFailures([], now: moment(0))
        #expect(failures.takeNew(of: report([.first])).images.count == 1)
        #expect(failures.takeNew(of: report([.first, .second])).images.count == 1)
        #expect(failures.takeNew(of: report([.second, .first])).images.count == 0)
        #expect(failures.takeNew(of: report([])).images.count == 1)
    }

    @Test("a bounded number of causes is remembered for each feed, and the others are new each time")
    func bound() {
        let most = RepeatedFailures.mostOfFeed
        let errors = (0...most).map { FeedError.connectivity("refused", host: "\($0).example") }
        expect([
            Step(0, .images(errors), new: most + 1), Step(1, .images(errors), new: 1),
            Step(2, .images(errors.reversed()), new: 1),
        ])
    }
}
