/// Decides which images of a run's feeds are requested, feed by feed, as the feeds come. An image is looked up for each feed
/// that contains it, because each feed may see other data; its URL is counted once.
struct ImageSurvey: Sendable {
    /// What the store returns for an image is larger than what the survey remembers of it. And the images of one part are
    /// requested while the next part is looked up.
    private static let partSize = 2000

    private(set) var report = ImagesReport()
    private let choice: ImageChoice
    private let dryRun: Bool
    private let events: SyncEvents?
    private let newImages: NewImages?
    private struct Counted {
        /// The last feed that has the URL.
        var feed: Int32
        /// The result, unless the URL is requested.
        var result: ImageResultKind?
    }

    /// The URLs counted so far.
    private var counted: [ResourceURL.Key: Counted] = [:]
    private var feedNumber: Int32 = 0
    /// The images that only feeds contain whose servers are out of reach.
    private var outOfReach: Set<ResourceURL.Key> = []

    init(_ choice: ImageChoice, dryRun: Bool, events: SyncEvents?, newImages: NewImages? = nil) {
        self.choice = choice
        self.dryRun = dryRun
        self.events = events
        self.newImages = newImages
    }

    /// Hands the images that are to be requested to `ask`, a part of the feed at a time.
    mutating func add(
        _ images: [FeedImage], of feed: ResourceURL, _ request: ImageChoice.Request,
        ask: ([WantedImage]) -> Void
    ) async throws(FeedError) {
        feedNumber += 1
        counted.reserveCapacity(counted.count + images.count)
        var (total, cached) = (0, 0)
        var parts = images.parts(of: Self.partSize).makeIterator()
        var next = parts.next().map { distinct($0) }
        while let part = next {
            async let found = Result { [choice] () async throws(FeedError) in
                try await choice.verdicts(on: part.map(\.image), request)
            }
            // The next part is prepared while the store looks up this one.
            next = parts.next().map { distinct($0) }
            let new = part.count(where: \.isNew)
            report.total += new
            total += new
            var wanted: [WantedImage] = []
            var newWanted = 0
            for (image, verdict) in zip(part, try await found.get()) {
                if image.isNew, verdict.isCached { cached += 1 }
                let count = wanted.count
                take(verdict, on: image, of: feed, &wanted)
                if image.isNew { newWanted += wanted.count - count }
            }
            events?.yield(.imagesSurveyed(new, wanted: newWanted))
            if !wanted.isEmpty { ask(wanted) }
        }
        events?.yield(.imagesFound(feed, total: total, cached: cached))
    }

    private struct Candidate: Sendable {
        let image: FeedImage
        /// Whether no feed before this one contains the URL.
        let isNew: Bool
    }

    /// The images of a part, each URL once for each feed.
    private mutating func distinct(_ images: ArraySlice<FeedImage>) -> [Candidate] {
        var candidates: [Candidate] = []
        candidates.reserveCapacity(images.count)
        for image in images {
            let last = counted[image.url.key]
            if last?.feed == feedNumber { continue }
            counted[image.url.key] = Counted(feed: feedNumber, result: last?.result)
            candidates.append(Candidate(image: image, isNew: last == nil))
        }
        return candidates
    }

    /// Counts and reports what was decided.
    private mutating func take(
        _ verdict: ImageChoice.Verdict, on candidate: Candidate, of feed: ResourceURL, _ wanted: inout [WantedImage]
    ) {
        let url = candidate.image.url
        var isCounted = !candidate.isNew
        if isCounted, !outOfReach.isEmpty {
            if case .outOfReach = verdict { return }
            if outOfReach.remove(url.key) != nil {
                report.skipped -= 1
                counted[url.key]?.result = nil
                isCounted = false
            }
        }
        switch verdict {
        case .request(let image, let cached) where !dryRun:
            newImages?.want(candidate.image, of: feed, cached: cached)
            var image = image
            if isCounted { image.counted = counted[url.key]?.result }
            wanted.append(image)
        case _ where isCounted: break
        case .request(_, let cached):
            if cached != nil { report.cached += 1 }
            events?.yield(cached == nil ? .imageMissing(url) : .imageToRevalidate(url))
        case .cached:
            counted[url.key]?.result = .cached
            report.cached += 1
            events?.yield(.imageCached(url))
        case .outOfReach:
            counted[url.key]?.result = .skipped
            report.skipped += 1
            outOfReach.insert(url.key)
            events?.yield(.imageSkipped(url))
        case .leftAlone(let failure):
            counted[url.key]?.result = .skipped
            report.skipped += 1
            events?.yield(.imageLeftAlone(url, failure))
        }
    }
}
