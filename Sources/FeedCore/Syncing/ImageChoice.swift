/// Decides of images whether they are to be asked for, by what the store knows of them.
struct ImageChoice: Sendable {
    /// What the feeds that name an image say of it.
    struct Manner: Hashable, Sendable {
        /// On which it may be asked for; nil while no feed that names it was had. It is left then for a run in which the
        /// feed's server answers.
        var terms: RequestTerms?
        var scope: ImageScope
    }

    enum Verdict: Sendable {
        case ask(ImageDownloads.Wanted, isCached: Bool)
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
    func verdicts(on images: [ResourceURL], _ manner: Manner) async throws(FeedError) -> [Verdict] {
        // Of many, two halves: while the files of some images are looked for, the database looks up others.
        let middle = images.count < 200 ? 0 : images.count / 2
        async let later = find(images[middle...])
        let found = try await find(images[..<middle]).get() + later.get()
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(images.count)
        for (url, stored) in zip(images, found) {
            switch (stored, manner.terms) {
            case (_?, nil): verdicts.append(.cached)
            case (_?, _?) where !manner.scope.revalidates: verdicts.append(.cached)
            case (nil, nil): verdicts.append(.outOfReach)
            case (let stored, let terms?):
                let wanted = ImageDownloads.Wanted(url, validators: stored?.validators ?? Validators(), on: terms)
                verdicts.append(.ask(wanted, isCached: stored != nil))
            }
        }
        if !manner.scope.retriesFailed { try await leaveAlone(&verdicts) }
        return verdicts
    }

    /// A result, as `async let` would forget the type of an error.
    private func find(_ images: ArraySlice<ResourceURL>) async -> Result<[StoredImage?], FeedError> {
        guard !images.isEmpty else { return .success([]) }
        do throws(FeedError) { return .success(try await store.find(Array(images))) } catch { return .failure(error) }
    }

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
            let last = (at: failure.failedAt, count: failure.count)
            if PermanentFailures.isLeftAlone(lastFailure: last, now: now) { verdicts[place] = .leftAlone(failure) }
        }
    }
}
