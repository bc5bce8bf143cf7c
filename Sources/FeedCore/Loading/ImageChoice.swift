/// Decides which images are requested, and at which of their URLs, by the data and failures in the store.
struct ImageChoice: Sendable {
    /// The request of one feed for its images.
    struct Request: Sendable {
        let feed: ResourceURL
        /// The terms on which the images may be requested; nil while the server of the feed is out of reach or not
        /// asked.
        ///
        /// They are left then for a run in which it answers.
        var terms: ImageTerms?
        var scope: ImageScope
        /// Whether the user has named the feed, so that data for which only an archive vouches is requested.
        var isNamed = false
        /// The earlier URLs of images whose URLs have a new query.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
    }

    enum Verdict: Sendable {
        /// `cached` is the digest of the data that the cache has.
        case request(WantedImage, cached: Digest?)
        case cached
        case outOfReach
        case leftAlone(RememberedFailure)

        var isCached: Bool {
            switch self {
            case .cached, .request(_, cached: _?): true
            default: false
            }
        }
    }

    let store: any ImageStore
    let now: @Sendable () -> Timestamp

    func verdicts(on images: [FeedImage], _ request: Request) async throws(FeedError) -> [Verdict] {
        let found = try await find(images, of: request.feed)
        guard let terms = request.terms else { return found.map { $0 == nil ? .outOfReach : .cached } }
        let leftAlone = try await failedRevalidations(of: images, found, request)
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(images.count)
        var missing: [Int] = []
        for (place, (image, stored)) in zip(images, found).enumerated() {
            if let stored {
                verdicts.append(again(image, stored, request, leftAlone, on: terms.of(image)))
            } else {
                missing.append(place)
                verdicts.append(.outOfReach)
            }
        }
        guard !missing.isEmpty else { return verdicts }
        let sources = try await sources(of: missing.map { images[$0] }, request)
        for (place, sources) in zip(missing, sources) {
            switch sources {
            case .failed(let failure): verdicts[place] = .leftAlone(failure)
            case .open(let first, let rest):
                let image = images[place]
                let wanted = WantedImage(
                    image.url, first: first, rest: rest, published: image.published, on: terms.of(image))
                verdicts[place] = .request(wanted, cached: nil)
            }
        }
        return verdicts
    }

    /// Data is requested again if the scope says so, or if nobody but an archive or an earlier image vouches for it: its
    /// own URL with its validators, and under the scope its better URLs without.
    private func again(
        _ image: FeedImage, _ stored: StoredImage, _ request: Request,
        _ leftAlone: [ResourceURL.Key: RememberedFailure], on terms: RequestTerms
    ) -> Verdict {
        let scope = request.scope
        let urls = [image.url] + image.alternatives
        let place = stored.from.flatMap { from in urls.firstIndex { $0.key == from.key } } ?? 0
        var sources: [WantedImage.Source] = []
        if scope.revalidates || scope.retriesFailed {
            sources = urls[..<place].map { WantedImage.Source(url: $0) }
        }
        let failure = leftAlone[urls[place].key]
        if failure == nil, request.asksAgain(stored, of: image) {
            let isImported = stored.standing == .imported
            sources.append(.init(url: urls[place], validators: isImported ? Validators() : stored.validators))
        }
        guard let first = sources.first else { return failure.map { .leftAlone($0) } ?? .cached }
        let wanted = WantedImage(
            image.url, first: first, rest: sources.dropFirst(),
            hasOtherData: place > 0 || stored.standing != .obtained, published: image.published,
            on: terms)
        return .request(wanted, cached: stored.digest)
    }

    /// The failures of URLs that have data, and that it is too early to request again.
    private func failedRevalidations(
        of images: [FeedImage], _ found: [StoredImage?], _ request: Request
    ) async throws(FeedError) -> [ResourceURL.Key: RememberedFailure] {
        guard !request.scope.retriesFailed else { return [:] }
        let urls = zip(images, found).compactMap { image, stored in
            stored.flatMap { request.asksAgain($0, of: image) ? $0.from ?? image.url : nil }
        }
        return urls.isEmpty ? [:] : try await failuresToRespect(of: urls, request)
    }

    // MARK: Images without data

    private enum Sources {
        case open(WantedImage.Source, rest: ArraySlice<WantedImage.Source>)
        /// Each URL has failed permanently; the failure is that of the best.
        case failed(RememberedFailure)
    }

    private func sources(of images: [FeedImage], _ request: Request) async throws(FeedError) -> [Sources] {
        let urls = images.flatMap { [$0.url] + $0.alternatives }
        let failures = try await failuresToRespect(of: urls, request)
        let validators = try await validatorsOfPredecessors(of: images, request)
        return images.map { image in
            let urls = image.alternatives.isEmpty ? [image.url] : [image.url] + image.alternatives
            // The URLs after an image that is too small have smaller renditions.
            let large = urls.prefix { failures[$0.key]?.error.smallSize == nil }
            let open = failures.isEmpty ? large : large.filter { failures[$0.key] == nil }[...]
            guard let first = open.first else {
                let decisive = large.count < urls.count ? urls[large.count] : image.url
                return .failed(failures[decisive.key] ?? Self.unknownFailure)
            }
            var source = WantedImage.Source(url: first)
            if first.key == image.url.key, let known = validators[first.key] {
                source.validators = known
                source.predecessor = request.predecessors[first.key]
            }
            return .open(source, rest: open.dropFirst().map { WantedImage.Source(url: $0) }[...])
        }
    }

    private static let unknownFailure = RememberedFailure(
        error: .invalidData("failed before"), failedAt: Timestamp(microseconds: 0), count: 1)

    /// The failures of URLs that it is too early to request again, and the images that are too small.
    private func failuresToRespect(
        of urls: [ResourceURL], _ request: Request
    ) async throws(FeedError) -> [ResourceURL.Key: RememberedFailure] {
        guard let terms = request.terms?.terms else { return [:] }
        let minSize = terms.imageLimits.minSize
        if request.scope.retriesFailed, minSize == nil { return [:] }
        let now = now()
        var found: [ResourceURL.Key: RememberedFailure] = [:]
        for case (let url, let failure?) in zip(urls, try await store.failures(of: urls, in: request.feed)) {
            if let size = failure.error.smallSize {
                if let minSize, size.isSmaller(than: minSize) { found[url.key] = failure }
                continue
            }
            if request.scope.retriesFailed { continue }
            // The server may have refused another password.
            if failure.error.isRefusal, terms.sendsSecrets(to: url) { continue }
            let last = (at: failure.failedAt, count: failure.count)
            if PermanentFailures.isLeftAlone(lastFailure: last, now: now) { found[url.key] = failure }
        }
        return found
    }

    /// The entity tags of data that the cache has under the earlier URLs of images.
    ///
    /// A date says nothing about another URL, which may have another image, and an older one.
    private func validatorsOfPredecessors(
        of images: [FeedImage], _ request: Request
    ) async throws(FeedError) -> [ResourceURL.Key: Validators] {
        if request.predecessors.isEmpty { return [:] }
        let moved = images.compactMap { image in request.predecessors[image.url.key].map { (image.url, $0) } }
        let earlier = moved.map { FeedImage(id: "", url: $0.1) }
        var validators: [ResourceURL.Key: Validators] = [:]
        for ((url, _), stored) in zip(moved, try await find(earlier, of: request.feed)) {
            if let etag = stored?.validators.etag { validators[url.key] = Validators(etag: etag) }
        }
        return validators
    }

    /// Looks up several parts of the images at the same time: the store checks the files of one part while its database
    /// finds another.
    private func find(_ images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?] {
        var found = [StoredImage?](repeating: nil, count: images.count)
        let failure = await withTaskGroup { group in
            for part in images.parts(of: Self.foundAtOnce) {
                group.addTask {
                    (
                        part.startIndex,
                        await Result { () async throws(FeedError) in try await store.find(Array(part), of: feed) }
                    )
                }
            }
            var failure: FeedError?
            for await (start, answer) in group {
                switch answer {
                case .success(let some): found.replaceSubrange(start..<start + some.count, with: some)
                case .failure(let error): failure = failure ?? error
                }
            }
            return failure
        }
        if let failure { throw failure }
        return found
    }

    private static let foundAtOnce = 250
}

extension ImageChoice.Request {
    /// Whether data that the cache has is requested again.
    fileprivate func asksAgain(_ stored: StoredImage, of image: FeedImage) -> Bool {
        switch stored.standing {
        case .obtained: scope.revalidates
        case .awaited: true
        case .imported: scope.revalidates || isNamed && image.lastSeen == nil
        }
    }
}

/// The images that a run requests in addition to those without data.
package struct ImageScope: Hashable, Sendable {
    /// Whether images with data are requested again to see if they have changed.
    package var revalidates: Bool
    /// Whether images with a permanent failure are requested again at once.
    package var retriesFailed: Bool

    package init(revalidates: Bool = false, retriesFailed: Bool = false) {
        self.revalidates = revalidates
        self.retriesFailed = retriesFailed
    }
}
