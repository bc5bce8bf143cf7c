/// Says which of the images that a run's feeds name are to be asked for: feed by feed, as they come. Each URL is counted
/// and decided on once, on the terms of the first feed that names it and whose server answered.
struct ImageSurvey: Sendable {
    /// What the store answers of each image is larger than what is kept of it. And the first part of a feed is asked for
    /// while the next is looked at.
    private static let partSize = 2000

    private(set) var report = ImagesReport()
    private let choice: ImageChoice
    private let dryRun: Bool
    private let events: SyncEvents?
    private let newImages: NewImages?
    private var named: Set<ResourceURL.Key> = []
    /// Those that only feeds have named whose server is out of reach.
    private var outOfReach: Set<ResourceURL.Key> = []

    init(_ choice: ImageChoice, dryRun: Bool, events: SyncEvents?, newImages: NewImages? = nil) {
        self.choice = choice
        self.dryRun = dryRun
        self.events = events
        self.newImages = newImages
    }

    /// Hands those to ask for to `ask`, a part of the feed at a time.
    mutating func add(
        _ images: [FeedImage], of feed: ResourceURL, _ request: ImageChoice.Request,
        ask: ([WantedImage]) -> Void
    ) async throws(FeedError) {
        named.reserveCapacity(named.count + images.count)
        var (total, cached) = (0, 0)
        var parts = images.parts(of: Self.partSize).makeIterator()
        var next = parts.next().map { undecided(in: $0, request) }
        while let new = next {
            async let found = Result { [choice] () async throws(FeedError) in
                try await choice.verdicts(on: new.map(\.url), request)
            }
            // While the store looks for these.
            next = parts.next().map { undecided(in: $0, request) }
            report.total += new.count
            total += new.count
            var wanted: [WantedImage] = []
            for (image, verdict) in zip(new, try await found.get()) {
                if verdict.isCached { cached += 1 }
                take(verdict, on: image, of: feed, &wanted)
            }
            events?.yield(.imagesSurveyed(new.count, wanted: wanted.count))
            if !wanted.isEmpty { ask(wanted) }
        }
        events?.yield(.imagesFound(feed, total: total, cached: cached))
    }

    private mutating func undecided(
        in images: ArraySlice<FeedImage>, _ request: ImageChoice.Request
    ) -> [FeedImage] {
        var new: [FeedImage] = []
        new.reserveCapacity(images.count)
        for image in images {
            if named.insert(image.url.key).inserted {
                new.append(image)
            } else if request.terms != nil, outOfReach.remove(image.url.key) != nil {
                report.total -= 1
                report.skipped -= 1
                new.append(image)
            }
        }
        return new
    }

    /// Counts and tells what was decided.
    private mutating func take(
        _ verdict: ImageChoice.Verdict, on named: FeedImage, of feed: ResourceURL, _ wanted: inout [WantedImage]
    ) {
        let url = named.url
        switch verdict {
        case .cached:
            report.cached += 1
            events?.yield(.imageCached(url))
        case .outOfReach:
            report.skipped += 1
            outOfReach.insert(url.key)
            events?.yield(.imageSkipped(url))
        case .leftAlone(let failure):
            report.skipped += 1
            events?.yield(.imageLeftAlone(url, failure))
        case .ask(_, let isCached) where dryRun:
            if isCached { report.cached += 1 }
            events?.yield(isCached ? .imageToRevalidate(url) : .imageMissing(url))
        case .ask(var image, let isCached):
            newImages?.want(named, of: feed, isCached: isCached)
            image.alternatives = named.alternatives
            wanted.append(image)
        }
    }
}
