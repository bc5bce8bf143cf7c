/// Decides which images of a run's feeds are requested, feed by feed, as the feeds arrive.
///
/// Each item is looked up, because each feed, and each item of a feed, may have other data; a URL is counted once, and
/// requested once for a feed.
struct DownloadPlanner: Sendable {
    /// The number of images that are looked up at once.
    ///
    /// Parts bound the memory for what the store returns, and the images of one part are requested while the next part
    /// is looked up.
    private static let partSize = 2000

    private struct Counted {
        /// Whether the decision on the URL is counted.
        var isTaken = false
        /// The last feed for which the URL is requested.
        var requestedFor: Int32 = 0
        /// The result, unless the URL is requested.
        var result: ImageResultKind?
        /// Whether the servers of all feeds that have the URL are out of reach.
        var isOutOfReach = false
    }

    private(set) var report = ImagesReport()
    private let choice: ImageChoice
    private let dryRun: Bool
    private let events: SyncEvents?
    private let newImages: NewImages?

    /// The URLs counted so far, by their numbers.
    private var counted: [Counted] = []
    private var numbers: [ResourceURL.Key: Int32] = [:]
    private var feedNumber: Int32 = 0
    /// The pages that were counted, each with the place of its failure in the list, if it failed in this run.
    private var pages: [ResourceURL.Key: Int?] = [:]

    init(_ choice: ImageChoice, dryRun: Bool, events: SyncEvents?, newImages: NewImages? = nil) {
        self.choice = choice
        self.dryRun = dryRun
        self.events = events
        self.newImages = newImages
    }

    /// Adds a feed, and passes the images to request to `ask`, a part of the feed at a time.
    mutating func add(
        _ images: [FeedImage], of feed: ResourceURL, _ request: ImageChoice.Request,
        ask: ([WantedImage]) -> Void
    ) async throws(FeedError) {
        feedNumber += 1
        numbers.reserveCapacity(numbers.count + images.count)
        var (total, cached) = (0, 0)
        var parts = images.parts(of: Self.partSize).makeIterator()
        var next = parts.next().map { numbered($0) }
        while let part = next {
            async let found = Result { [choice] () async throws(FeedError) in
                try await choice.verdicts(on: part.images, request)
            }
            // The next part is prepared while the store looks up this part.
            next = parts.next().map { numbered($0) }
            report.total += part.newCount
            total += part.newCount
            var wanted: [WantedImage] = []
            var newWanted = 0
            for (index, verdict) in try await found.get().enumerated() {
                let number = Int(part.numbers[index])
                let isNew = !counted[number].isTaken
                if isNew, verdict.isCached { cached += 1 }
                let count = wanted.count
                take(verdict, on: part.images[index], number, of: feed, &wanted)
                counted[number].isTaken = true
                if isNew { newWanted += wanted.count - count }
            }
            events?.yield(.imagesSurveyed(part.newCount, wanted: newWanted))
            if !wanted.isEmpty { ask(wanted) }
        }
        events?.yield(.imagesFound(feed, total: total, cached: cached))
    }

    /// Counts the pages of a feed's items without an image that gave no answer, as the images that they stand for.
    mutating func add(_ linked: LinkedPagesReport, of feed: ResourceURL) {
        for page in linked.leftAlone {
            if let failure = page.failure { report.leftAlone.insert(.init(failure.error, of: feed)) }
        }
        let failed = linked.failed.filter { page in
            guard let counted = pages[page.url.key] else { return true }
            if let counted { report.failures[counted].feeds.append(feed) }
            return false
        }
        let leftAlone = linked.leftAlone.filter { pages[$0.url.key] == nil }
        guard !failed.isEmpty || !leftAlone.isEmpty else { return }
        report.total += failed.count + leftAlone.count
        report.skipped += leftAlone.count
        events?.yield(.imagesSurveyed(failed.count + leftAlone.count, wanted: 0))
        for page in failed {
            guard let error = page.failure?.error else { continue }
            pages.updateValue(report.failures.count, forKey: page.url.key)
            report.failures.append(ImagesReport.Failure(url: page.url, error: error, feeds: [feed]))
            events?.yield(.imageFailed(page.url, error))
        }
        for page in leftAlone {
            pages.updateValue(nil, forKey: page.url.key)
            if let failure = page.failure { events?.yield(.imageLeftAlone(page.url, failure)) }
        }
    }

    /// A part of a feed's images, each with the number of its URL.
    private struct NumberedImages: Sendable {
        let images: [FeedImage]
        var numbers: [Int32] = []
        /// The number of URLs that no earlier item has.
        var newCount = 0
    }

    private mutating func numbered(_ images: ArraySlice<FeedImage>) -> NumberedImages {
        var part = NumberedImages(images: Array(images))
        part.numbers.reserveCapacity(images.count)
        for image in images {
            let number = number(of: image.url.key)
            if Int(number) == counted.count {
                counted.append(Counted())
                part.newCount += 1
            }
            part.numbers.append(number)
        }
        return part
    }

    /// Returns the number of a URL, which is the next free number for a new URL.
    ///
    /// The dictionary is searched once.
    private mutating func number(of url: ResourceURL.Key) -> Int32 {
        func value(_ number: inout Int32) -> Int32 { number }
        return value(&numbers[url, default: Int32(counted.count)])
    }

    /// Counts and reports the decision on an image.
    private mutating func take(
        _ verdict: ImageChoice.Verdict, on feedImage: FeedImage, _ number: Int, of feed: ResourceURL,
        _ wanted: inout [WantedImage]
    ) {
        let url = feedImage.url
        var isCounted = counted[number].isTaken
        if case .leftAlone(let failure) = verdict { report.leftAlone.insert(.init(failure.error, of: feed)) }
        if isCounted, counted[number].isOutOfReach {
            if case .outOfReach = verdict { return }
            report.skipped -= 1
            counted[number] = Counted()
            isCounted = false
        }
        switch verdict {
        case .request(var image, let cached):
            guard counted[number].requestedFor != feedNumber else { return }
            counted[number].requestedFor = feedNumber
            if dryRun { return plan(url, number, isCached: cached != nil) }
            newImages?.want(feedImage, of: feed, cached: cached)
            if isCounted { image.counted = counted[number].result }
            wanted.append(image)
        case _ where isCounted: break
        case .cached:
            counted[number].result = .cached
            report.cached += 1
            events?.yield(.imageCached(url))
        case .outOfReach:
            counted[number].result = .skipped
            report.skipped += 1
            counted[number].isOutOfReach = true
            events?.yield(.imageSkipped(url))
        case .leftAlone(let failure):
            counted[number].result = .skipped
            report.skipped += 1
            let isTooSmall = failure.error.smallSize != nil
            events?.yield(isTooSmall ? .imageTooSmall(url, failure.error) : .imageLeftAlone(url, failure))
        }
    }

    /// Counts and reports an image that a real run would request.
    private mutating func plan(_ url: ResourceURL, _ number: Int, isCached: Bool) {
        let earlier = counted[number]
        let isPlanned = earlier.isTaken && earlier.result == nil
        guard !isPlanned else { return }
        if earlier.result == .cached { report.cached -= 1 }
        if earlier.result == .skipped { report.skipped -= 1 }
        counted[number].result = nil
        if isCached { report.cached += 1 }
        events?.yield(isCached ? .imageToRevalidate(url) : .imageMissing(url))
    }
}

extension Array {
    /// Returns the elements in parts of `size`; the last part may be smaller.
    func parts(of size: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: size).lazy.map { self[$0..<Swift.min($0 + size, count)] }
    }
}
