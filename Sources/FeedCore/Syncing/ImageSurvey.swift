/// Says which of the images that a run's feeds name are to be asked for: feed by feed, as they come. Each URL is counted
/// once, and decided on once; if another feed says other things of it than the first to come, perhaps again at the end.
struct ImageSurvey: Sendable {
    enum Decision { case asked, cached, skipped }

    /// What the store answers of each image is larger than what is kept of it. And the first part of a feed is asked for
    /// while the next is looked at.
    private static let partSize = 2000

    private(set) var report = ImagesReport()
    private let choice: ImageChoice
    private let dryRun: Bool
    private let events: SyncEvents?

    /// Of each feed that has come.
    private var sayings: [ImageDispute.Saying] = []
    /// Of each URL, in the order of their first feeds: which of `sayings` it was decided by, and how.
    private var decided: [(by: Int32, Decision)] = []
    private var places: [ResourceURL.Key: Int] = [:]
    private var disputes: [Int: ImageDispute] = [:]
    /// Those that were first named with a password.
    private var secretURLs: [Int: ResourceURL] = [:]

    init(_ choice: ImageChoice, dryRun: Bool, events: SyncEvents?) {
        self.choice = choice
        self.dryRun = dryRun
        self.events = events
    }

    /// Hands those to ask for to `ask`, a part of the feed at a time. `rank` is the feed's place in the run's list.
    mutating func add(
        _ images: [FeedImage], of feed: ResourceURL, rank: Int, _ grounds: ImageChoice.Grounds,
        ask: ([ImageDownloads.Wanted]) -> Void
    ) async throws(FeedError) {
        sayings.append(ImageDispute.Saying(rank: rank, grounds: grounds))
        places.reserveCapacity(places.count + images.count)
        decided.reserveCapacity(decided.count + images.count)
        var (total, cached) = (0, 0)
        var parts = images.parts(of: Self.partSize).makeIterator()
        var next = parts.next().map { firstNamed(in: $0) }
        while let new = next {
            var place = decided.count - new.count
            async let found = Result { [choice] () async throws(FeedError) in
                try await choice.verdicts(on: new, grounds)
            }
            // While the store looks for these.
            next = parts.next().map { firstNamed(in: $0) }
            report.total += new.count
            total += new.count
            var wanted: [ImageDownloads.Wanted] = []
            for (url, verdict) in zip(new, try await found.get()) {
                if verdict.isCached { cached += 1 }
                decided[place].1 = take(verdict, on: url, &wanted)
                place += 1
            }
            events?.yield(.imagesSurveyed(new.count, wanted: wanted.count))
            if !wanted.isEmpty { ask(wanted) }
        }
        events?.yield(.imagesFound(feed, total: total, cached: cached))
    }

    /// Whether any may have to be decided on anew.
    var isDisputed: Bool { !disputes.isEmpty }

    /// None will be added any more: what is kept for that may go.
    mutating func allFeedsCame() { (places, secretURLs) = ([:], [:]) }

    /// Those to ask for after all, once all feeds have come and what was asked for before was answered. `failures` are
    /// what came of those that were asked for in vain. To be called again when these, too, are answered, until there are
    /// none.
    mutating func reconsidered(
        after failures: [ResourceURL.Key: FeedError]
    ) async throws(FeedError) -> [ImageDownloads.Wanted] {
        var again: [(grounds: ImageChoice.Grounds, images: [(place: Int, url: ResourceURL)])] = []
        var numbers: [ImageChoice.Grounds: Int] = [:]
        var forgiven = 0
        for place in disputes.keys.sorted() {
            let decision = decided[place].1
            guard let url = disputes[place]?.url,
                let grounds = disputes[place]?.nextGrounds(after: decision, failures[url.key])
            else { continue }
            switch decision {
            case .asked: forgiven += 1
            case .cached: report.cached -= 1
            case .skipped: report.skipped -= 1
            }
            let number = numbers.number(of: grounds)
            if number == again.count { again.append((grounds, [])) }
            again[number].images.append((place, url))
        }
        var wanted: [ImageDownloads.Wanted] = []
        for (grounds, images) in again {
            for part in images.parts(of: Self.partSize) {
                for ((place, url), verdict) in zip(part, try await choice.verdicts(on: part.map(\.url), grounds)) {
                    decided[place].1 = take(verdict, on: url, &wanted)
                }
            }
        }
        if !wanted.isEmpty { events?.yield(.imagesReconsidered(wanted.count, failedBefore: forgiven)) }
        return wanted
    }

    private mutating func firstNamed(in images: ArraySlice<FeedImage>) -> [ResourceURL] {
        let number = Int32(sayings.count - 1)
        var new: [ResourceURL] = []
        new.reserveCapacity(images.count)
        for url in images.lazy.map(\.url) {
            let place = places.number(of: url.key)
            if place == decided.count {
                decided.append((number, .asked))
                if url.credentials != nil { secretURLs[place] = url }
                new.append(url)
            } else {
                dispute(place, url, by: Int(number))
            }
        }
        return new
    }

    /// The feed names an image that another, or itself, has named before.
    private mutating func dispute(_ place: Int, _ url: ResourceURL, by number: Int) {
        var first = sayings[Int(decided[place].by)]
        if let secret = secretURLs[place] { first = first.naming(secret) }
        let saying = sayings[number].naming(url)
        guard saying.grounds != first.grounds else { return }
        // The passwords are in what was said.
        var dispute = disputes[place] ?? ImageDispute(ResourceURL(url, credentials: nil), first: first)
        dispute.add(saying)
        if dispute.hasDifferentSayings { disputes[place] = dispute }
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
