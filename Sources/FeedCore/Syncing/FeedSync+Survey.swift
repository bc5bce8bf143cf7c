extension FeedSync {
    /// The store is asked about so many at a time: what it answers of each is larger than what is kept of it.
    private static let imagesAtOnce = 1000

    /// Counts the feeds' distinct URLs and says which of them to ask for. Images of a feed that is offline are left for
    /// a run in which its server answers.
    func survey(
        _ feeds: [SyncedFeed], _ events: SyncEvents?
    ) async throws(FeedError) -> (wanted: [ImageDownloads.Wanted], ImagesReport) {
        let named = distinctImages(of: feeds)
        // Two at a time: while the files of some images are looked for, the database looks up others.
        let middle = named.count / (2 * Self.imagesAtOnce) * Self.imagesAtOnce
        async let later = validatorsOfCached(named[middle...])
        let cached = try await validatorsOfCached(named[..<middle]).get() + later.get()
        var report = ImagesReport()
        report.total = named.count
        events?.yield(.imagesFound(total: named.count, cached: cached.count { $0 != nil }))
        var wanted: [ImageDownloads.Wanted] = []
        for start in stride(from: 0, to: named.count, by: Self.imagesAtOnce) {
            let part = start..<min(start + Self.imagesAtOnce, named.count)
            wanted += try await choose(named[part], cached[part], &report, events)
        }
        events?.yield(.imagesWanted(wanted.count))
        return (wanted, report)
    }

    /// Nil for an image that isn't in the cache. A result, as `async let` would forget the type of an error.
    private func validatorsOfCached(_ named: ArraySlice<NamedImage>) async -> Result<[Validators?], FeedError> {
        var cached: [Validators?] = []
        cached.reserveCapacity(named.count)
        for start in stride(from: named.startIndex, to: named.endIndex, by: Self.imagesAtOnce) {
            let part = named[start..<min(start + Self.imagesAtOnce, named.endIndex)]
            do throws(FeedError) {
                for (image, stored) in zip(part, try await images.find(part.map(\.url))) {
                    cached.append(stored.map { image.scope.revalidates ? $0.validators : Validators() })
                }
            } catch {
                return .failure(error)
            }
        }
        return .success(cached)
    }

    /// Of these, those to ask for; what becomes of the others is counted and told.
    private func choose(
        _ named: ArraySlice<NamedImage>, _ cached: ArraySlice<Validators?>, _ report: inout ImagesReport,
        _ events: SyncEvents?
    ) async throws(FeedError) -> [ImageDownloads.Wanted] {
        var candidates: [ImageDownloads.Wanted] = []
        var isCached: [Bool] = []
        var retriesFailed: [Bool] = []
        for (image, validators) in zip(named, cached) {
            if validators != nil, !image.scope.revalidates || image.terms == nil {
                report.cached += 1
                events?.yield(.imageCached(image.url))
            } else if let terms = image.terms {
                candidates.append(.init(image.url, validators: validators ?? Validators(), on: terms))
                isCached.append(validators != nil)
                retriesFailed.append(image.scope.retriesFailed)
            } else {
                report.skipped += 1
                events?.yield(.imageSkipped(image.url))
            }
        }

        let failures = try await failures(of: candidates, retriesFailed)
        var wanted: [ImageDownloads.Wanted] = []
        for (index, candidate) in candidates.enumerated() {
            if let failure = failures[index] {
                report.skipped += 1
                events?.yield(.imageLeftAlone(candidate.url, failure))
            } else if dryRun {
                if isCached[index] { report.cached += 1 }
                events?.yield(isCached[index] ? .imageToRevalidate(candidate.url) : .imageMissing(candidate.url))
            } else {
                wanted.append(candidate)
            }
        }
        return wanted
    }

    /// For each image the failure for which it is left alone, if there is one.
    private func failures(
        of images: [ImageDownloads.Wanted], _ retriesFailed: [Bool]
    ) async throws(FeedError) -> [RememberedFailure?] {
        guard retriesFailed.contains(false) else { return images.map { _ in nil } }
        let now = now()
        return zip(try await self.images.failures(of: images.map(\.url)), retriesFailed).map { failure, isRetried in
            guard let failure, !isRetried else { return nil }
            let last = (at: failure.failedAt, count: failure.count)
            return PermanentFailures.isLeftAlone(lastFailure: last, now: now) ? failure : nil
        }
    }

    private struct NamedImage {
        let url: ResourceURL
        /// Nil while no feed that names it was had.
        var terms: RequestTerms?
        /// What any of its feeds asks for.
        var scope: ImageScope
    }

    private func distinctImages(of feeds: [SyncedFeed]) -> [NamedImage] {
        var named: [NamedImage] = []
        var places: [ResourceURL.Key: Int] = [:]
        let most = feeds.reduce(0) { $0 + $1.images.count }
        named.reserveCapacity(most)
        places.reserveCapacity(most)
        for feed in feeds {
            let terms = feed.report.outcome == .offline ? nil : feed.imageTerms
            let scope = particulars(of: feed.report.url).scope
            for url in feed.images.lazy.map(\.url) {
                let place = places.number(of: url.key)
                if place == named.count {
                    named.append(NamedImage(url: url, terms: terms, scope: scope))
                    continue
                }
                if let terms { named[place].terms = named[place].terms?.widened(by: terms, for: url) ?? terms }
                named[place].scope.revalidates = named[place].scope.revalidates || scope.revalidates
                named[place].scope.retriesFailed = named[place].scope.retriesFailed || scope.retriesFailed
            }
        }
        return named
    }
}
