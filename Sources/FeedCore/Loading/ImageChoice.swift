/// Decides of images whether they are to be asked for, by what the store knows of them.
struct ImageChoice: Sendable {
    /// What a feed asks of its images.
    struct Request: Sendable {
        /// On which terms they may be asked for; nil while the feed's server is out of reach or not asked. They are left
        /// then for a run in which it answers.
        var terms: RequestTerms?
        var scope: ImageScope
        /// Where the same images were before.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
    }

    enum Verdict: Sendable {
        case ask(WantedImage, isCached: Bool)
        case cached
        case outOfReach
        case leftAlone(RememberedFailure)

        var isCached: Bool {
            switch self {
            case .cached, .ask(_, isCached: true): true
            default: false
            }
        }
    }

    let store: any ImageStore
    let now: @Sendable () -> Timestamp

    /// Of images of which their feeds say the same.
    func verdicts(on images: [ResourceURL], _ request: Request) async throws(FeedError) -> [Verdict] {
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(images.count)
        for (url, stored) in zip(images, try await find(images)) {
            switch (stored, request.terms) {
            case (_?, nil): verdicts.append(.cached)
            case (_?, _?) where !request.scope.revalidates: verdicts.append(.cached)
            case (nil, nil): verdicts.append(.outOfReach)
            case (let stored, let terms?):
                let wanted = WantedImage(url, validators: stored?.validators ?? Validators(), on: terms)
                verdicts.append(.ask(wanted, isCached: stored != nil))
            }
        }
        if !request.scope.retriesFailed { try await leaveAlone(&verdicts) }
        if !request.predecessors.isEmpty { try await compare(&verdicts, with: request.predecessors) }
        return verdicts
    }

    /// Of those to ask for, the ones whose data may be there under another URL are asked for with its validators.
    private func compare(
        _ verdicts: inout [Verdict], with predecessors: [ResourceURL.Key: ResourceURL]
    ) async throws(FeedError) {
        var places: [(place: Int, wanted: WantedImage, earlier: ResourceURL)] = []
        for (place, verdict) in verdicts.enumerated() {
            guard case .ask(let wanted, isCached: false) = verdict, let earlier = predecessors[wanted.url.key] else {
                continue
            }
            places.append((place, wanted, earlier))
        }
        for ((place, wanted, earlier), stored) in zip(places, try await find(places.map(\.earlier))) {
            // A date says nothing of another URL: behind it may be another image, and an older one.
            guard let etag = stored?.validators.etag else { continue }
            let compared = WantedImage(wanted.url, validators: Validators(etag: etag), of: earlier, on: wanted.terms)
            verdicts[place] = .ask(compared, isCached: false)
        }
    }

    /// Some at a time, side by side: while the store looks for the files of some, its database looks up others.
    private func find(_ images: [ResourceURL]) async throws(FeedError) -> [StoredImage?] {
        var found = [StoredImage?](repeating: nil, count: images.count)
        let failure = await withTaskGroup { group in
            for part in images.parts(of: Self.foundAtOnce) {
                group.addTask {
                    (part.startIndex, await Result { () async throws(FeedError) in try await store.find(Array(part)) })
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

    /// Of those to ask for, the ones whose last answer tends to stay.
    private func leaveAlone(_ verdicts: inout [Verdict]) async throws(FeedError) {
        var places: [Int] = []
        var urls: [ResourceURL] = []
        for (place, verdict) in verdicts.enumerated() {
            guard case .ask(let wanted, _) = verdict else { continue }
            places.append(place)
            urls.append(wanted.url)
        }
        guard !urls.isEmpty else { return }
        let now = now()
        for (place, failure) in zip(places, try await store.failures(of: urls)) {
            guard let failure else { continue }
            // It may not have been told who asks when it refused.
            if failure.error.isRefusal, case .ask(let wanted, _) = verdicts[place], wanted.saysWhoAsks { continue }
            let last = (at: failure.failedAt, count: failure.count)
            if PermanentFailures.isLeftAlone(lastFailure: last, now: now) { verdicts[place] = .leftAlone(failure) }
        }
    }
}
