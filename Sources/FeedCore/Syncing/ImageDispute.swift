/// An image of which several feeds say different things: whatever one of them permits, or asks for, is done, whichever of
/// them comes first.
struct ImageDispute: Sendable {
    /// What a feed says of its images.
    struct Saying: Sendable {
        /// The feed's place in the run's list.
        let rank: Int
        let grounds: ImageChoice.Grounds

        /// What it says with this very URL.
        func naming(_ url: ResourceURL) -> Saying {
            guard url.credentials != nil else { return self }
            var grounds = grounds
            grounds.terms = grounds.terms?.withCredentials(of: url)
            return Saying(rank: rank, grounds: grounds)
        }
    }

    /// A feed may name an image with thousands of passwords, and have each tried at its server.
    private static let mostOfOneFeed = 8

    let url: ResourceURL
    private var sayings: [Saying]
    /// On which it was asked for.
    private var tried: [RequestTerms]
    /// It was decided on anew, and not to be asked for.
    private var isClosed = false

    init(_ url: ResourceURL, first: Saying) {
        self.url = url
        sayings = [first]
        tried = first.grounds.terms.map { [$0.asFar(asOf: url)] } ?? []
    }

    var hasDifferentSayings: Bool { sayings.count > 1 }

    /// One that says the same of this image as another before it changes nothing. Feeds are added one after the other.
    mutating func add(_ saying: Saying) {
        let heard = sayings.suffix(Self.mostOfOneFeed).count { $0.rank == saying.rank }
        guard heard < Self.mostOfOneFeed else { return }
        let terms = saying.grounds.terms?.asFar(asOf: url)
        let isSaid = sayings.contains {
            $0.grounds.scope == saying.grounds.scope && $0.grounds.terms?.asFar(asOf: url) == terms
        }
        if !isSaid { sayings.append(saying) }
    }

    /// How to go about it now, if otherwise than before. `failure` is what came of asking for it.
    mutating func nextGrounds(
        after decision: ImageSurvey.Decision, _ failure: FeedError?
    ) -> ImageChoice.Grounds? {
        let first = sayings[0].grounds
        let inOrder = sayings.sorted { $0.rank < $1.rank }.map(\.grounds)
        let alternatives = RequestTerms.alternatives(inOrder.compactMap(\.terms), for: url)
        var scope = inOrder.dropFirst().reduce(inOrder[0].scope) { $0.widened(by: $1.scope) }
        switch decision {
        case .asked:
            guard let failure, let terms = alternatives.first(where: { mayHelp($0, after: failure) })
            else { return nil }
            tried.append(terms.asFar(asOf: url))
            // Its answer of just now is no reason to leave it alone.
            scope.retriesFailed = true
            return ImageChoice.Grounds(terms: terms, scope: scope)
        case .cached, .skipped:
            let grounds = ImageChoice.Grounds(terms: alternatives.first, scope: scope)
            guard !isClosed, grounds.permitsMore(than: first, of: url, decision) else { return nil }
            isClosed = true
            tried = alternatives.first.map { [$0.asFar(asOf: url)] } ?? []
            return grounds
        }
    }

    /// More addresses, or another limit than the one it met, change nothing of what a server answered; other secrets may.
    private func mayHelp(_ terms: RequestTerms, after failure: FeedError) -> Bool {
        let terms = terms.asFar(asOf: url)
        if failure.stage == .trusting { return !tried.contains(terms) }
        return !tried.contains {
            $0.secrets == terms.secrets && (failure.dependsOnSettings ? $0.asksLike(terms) : $0.hasManner(of: terms))
        }
    }
}

extension ImageChoice.Grounds {
    /// Whether an image that was not asked for, by `other`, may be asked for now.
    fileprivate func permitsMore(
        than other: Self, of image: ResourceURL, _ decision: ImageSurvey.Decision
    ) -> Bool {
        switch decision {
        case .asked: false
        case .cached: scope.revalidates && terms != nil && !(other.scope.revalidates && other.terms != nil)
        case .skipped:
            terms != nil && other.terms == nil || scope.retriesFailed && !other.scope.retriesFailed
                || saysWhoAsks(for: image) && !other.saysWhoAsks(for: image)
        }
    }

    private func saysWhoAsks(for image: ResourceURL) -> Bool { terms?.hasSecrets(for: image) == true }
}
