/// Says which of the images that a run's feeds name are to be asked for: feed by feed, as they come. Each URL is counted
/// once, and decided on once; if a later feed permits or wants more than those before it, again at the end.
struct ImageSurvey {
    fileprivate enum Decision { case asked, cached, skipped }

    /// What the store answers of each image is larger than what is kept of it.
    private static let partSize = 2000

    private(set) var report = ImagesReport()
    private let choice: ImageChoice
    private let dryRun: Bool
    private let events: SyncEvents?

    /// Of each feed.
    private var manners: [ImageChoice.Manner] = []
    /// Of each URL, in the order of their first feeds: which of `manners` it was decided by, and how.
    private var decided: [(by: Int32, Decision)] = []
    private var places: [ResourceURL.Key: Int] = [:]
    /// By their places, those of which a later feed says other things than their first, and what all say together.
    private var disputed: [Int: (url: ResourceURL, manner: ImageChoice.Manner)] = [:]

    init(_ choice: ImageChoice, dryRun: Bool, events: SyncEvents?) {
        self.choice = choice
        self.dryRun = dryRun
        self.events = events
    }

    /// Hands those to ask for to `ask`, a part of the feed at a time.
    mutating func add(
        _ images: [FeedImage], of feed: ResourceURL, _ manner: ImageChoice.Manner,
        ask: ([ImageDownloads.Wanted]) -> Void
    ) async throws(FeedError) {
        let new = firstNamed(in: images, manner)
        var place = decided.count - new.count
        report.total += new.count
        var cached = 0
        for start in stride(from: 0, to: new.count, by: Self.partSize) {
            let part = Array(new[start..<min(start + Self.partSize, new.count)])
            var wanted: [ImageDownloads.Wanted] = []
            for (url, verdict) in zip(part, try await choice.verdicts(on: part, manner)) {
                if verdict.isCached { cached += 1 }
                decided[place].1 = take(verdict, on: url, &wanted)
                place += 1
            }
            events?.yield(.imagesSurveyed(part.count, wanted: wanted.count))
            ask(wanted)
        }
        events?.yield(.imagesFound(feed, total: new.count, cached: cached))
    }

    /// None will be added any more: what is kept for that may go.
    mutating func allFeedsCame() { places = [:] }

    /// Those to ask for after all, once all feeds have come and what was asked for before was answered: `failed` are the
    /// URLs that were asked for in vain.
    mutating func reconsidered(failed: Set<ResourceURL.Key>) async throws(FeedError) -> [ImageDownloads.Wanted] {
        var again: [(manner: ImageChoice.Manner, images: [ResourceURL])] = []
        var numbers: [ImageChoice.Manner: Int] = [:]
        var forgiven = 0
        for (place, (url, manner)) in disputed.sorted(by: { $0.key < $1.key }) {
            var manner = manner
            let (first, decision) = decided[place]
            guard manner.permitsMore(than: manners[Int(first)], decision) else { continue }
            switch decision {
            case .asked where !failed.contains(url.key): continue
            case .asked:
                forgiven += 1
                // Its answer of just now is no reason to leave it alone.
                manner.scope.retriesFailed = true
            case .cached: report.cached -= 1
            case .skipped: report.skipped -= 1
            }
            let number = numbers.number(of: manner)
            if number == again.count { again.append((manner, [])) }
            again[number].images.append(url)
        }
        var wanted: [ImageDownloads.Wanted] = []
        for (manner, images) in again {
            for (url, verdict) in zip(images, try await choice.verdicts(on: images, manner)) {
                _ = take(verdict, on: url, &wanted)
            }
        }
        if !wanted.isEmpty { events?.yield(.imagesReconsidered(wanted.count, failedBefore: forgiven)) }
        return wanted
    }

    private mutating func firstNamed(in images: [FeedImage], _ manner: ImageChoice.Manner) -> [ResourceURL] {
        let number = Int32(manners.count)
        manners.append(manner)
        places.reserveCapacity(places.count + images.count)
        var new: [ResourceURL] = []
        new.reserveCapacity(images.count)
        for url in images.lazy.map(\.url) {
            let place = places.number(of: url.key)
            if place == decided.count {
                decided.append((number, .asked))
                new.append(url)
            } else if decided[place].by != number {
                let known = disputed[place]?.manner ?? manners[Int(decided[place].by)]
                let widened = known.widened(by: manner, for: url)
                if widened != known { disputed[place] = (url, widened) }
            }
        }
        return new
    }

    /// Counts and tells what was decided.
    private mutating func take(
        _ verdict: ImageChoice.Verdict, on url: ResourceURL, _ wanted: inout [ImageDownloads.Wanted]
    ) -> Decision {
        switch verdict {
        case .cached:
            report.cached += 1
            events?.yield(.imageCached(url))
            return .cached
        case .outOfReach:
            report.skipped += 1
            events?.yield(.imageSkipped(url))
            return .skipped
        case .leftAlone(let failure):
            report.skipped += 1
            events?.yield(.imageLeftAlone(url, failure))
            return .skipped
        case .ask(_, let isCached) where dryRun:
            if isCached { report.cached += 1 }
            events?.yield(isCached ? .imageToRevalidate(url) : .imageMissing(url))
            return .asked
        case .ask(let image, _):
            wanted.append(image)
            return .asked
        }
    }
}

extension ImageChoice.Manner {
    /// Whether one that was decided on by `other` may be decided on otherwise now.
    fileprivate func permitsMore(than other: Self, _ decision: ImageSurvey.Decision) -> Bool {
        switch decision {
        case .asked: terms != other.terms
        case .cached: scope.revalidates && terms != nil && !(other.scope.revalidates && other.terms != nil)
        case .skipped: terms != nil && other.terms == nil || scope.retriesFailed && !other.scope.retriesFailed
        }
    }
}
