extension FeedSync {
    /// Counts the feeds' distinct URLs and says which of them to ask for. Images of a feed that is offline are left for
    /// a run in which its server answers.
    func survey(
        _ feeds: [SyncedFeed], _ events: AsyncStream<SyncEvent>.Continuation
    ) async throws(FeedError) -> (wanted: [ImageDownloads.Wanted], ImagesReport) {
        let named = Self.distinctImages(of: feeds)
        let found = try await images.find(named.map(\.url))
        var report = ImagesReport()
        report.total = named.count
        events.yield(.imagesFound(total: named.count, cached: found.count { $0 != nil }))

        var candidates: [ImageDownloads.Wanted] = []
        var isCached: [Bool] = []
        for (image, stored) in zip(named, found) {
            if stored != nil, !scope.revalidates || !image.isOnline {
                report.cached += 1
            } else if !image.isOnline {
                report.skipped += 1
            } else {
                candidates.append(.init(image.url, validators: stored?.validators ?? Validators()))
                isCached.append(stored != nil)
            }
        }

        let failures = try await failures(of: candidates)
        var wanted: [ImageDownloads.Wanted] = []
        for (index, candidate) in candidates.enumerated() {
            if let failure = failures[index] {
                report.skipped += 1
                events.yield(.imageLeftAlone(candidate.url, failure))
            } else if dryRun {
                if isCached[index] { report.cached += 1 }
                events.yield(isCached[index] ? .imageToRevalidate(candidate.url) : .imageMissing(candidate.url))
            } else {
                wanted.append(candidate)
            }
        }
        return (wanted, report)
    }

    /// For each image the failure for which it is left alone, if there is one.
    private func failures(of images: [ImageDownloads.Wanted]) async throws(FeedError) -> [RememberedFailure?] {
        guard !scope.retriesFailed, !images.isEmpty else { return images.map { _ in nil } }
        let now = now()
        return try await self.images.failures(of: images.map(\.url)).map { failure in
            failure.flatMap { failure in
                let last = (at: failure.failedAt, count: failure.count)
                return PermanentFailures.isLeftAlone(lastFailure: last, now: now) ? failure : nil
            }
        }
    }

    private struct NamedImage {
        let url: ResourceURL
        /// Whether a feed that names it was had.
        var isOnline: Bool
    }

    private static func distinctImages(of feeds: [SyncedFeed]) -> [NamedImage] {
        var named: [NamedImage] = []
        var places: [String: Int] = [:]
        for feed in feeds {
            let isOnline = feed.report.outcome != .offline
            for url in feed.images.lazy.map(\.url) {
                let place = places[url.text, default: named.count]
                if place == named.count {
                    places[url.text] = place
                    named.append(NamedImage(url: url, isOnline: isOnline))
                } else if isOnline {
                    named[place].isOnline = true
                }
            }
        }
        return named
    }
}
