/// Use case: ask the server for its latest feed and bring the saved copy up to it.
package struct FeedRefresh: Sendable {
    package enum Outcome: Hashable, Sendable {
        case updated, unchanged
        /// The saved feed was confirmed so lately that the server was not asked.
        case waiting
    }

    package struct Refreshed: Sendable {
        package let feed: Feed
        package let outcome: Outcome
        /// Nil if no copy of this feed is saved, or none that can be read.
        package let savedAt: Timestamp?
        /// Why the feed could not be saved. It is delivered all the same: the server's answer is good.
        package let saveFailure: FeedError?
        /// On which the feed's images may be asked for; nil where nobody was.
        package let imageTerms: RequestTerms?
        /// Where the feed has moved for good, if nobody was told before.
        package var movedTo: ResourceURL?
        /// What the feed names and was left out.
        package let notes: [String]
        /// How many images are kept that left the feed; these, if it is delivered; and those whose data may be missing.
        package var keptCount = 0
        var kept: [FeedImage] = []
        var keptWithoutData: [FeedImage] = []
        /// It had images the last time, and has none now.
        package var hasEmptied = false
        /// Where the same images were before, by where they are now: their URLs differ in the query alone.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
    }

    /// A feed isn't asked again so soon, while its saved copy is fresh and none of its images is still to be had.
    package struct Interval: Sendable {
        let every: MaxAge
        let maxAge: MaxAge
        let images: any ImageStore

        package init(every: MaxAge, maxAge: MaxAge, images: any ImageStore) {
            self.every = every
            self.maxAge = maxAge
            self.images = images
        }
    }

    private let remote: RemoteFeedLoader
    private let local: LocalFeedLoader
    private let saves: Bool
    private let giver: FeedGiver
    private let interval: Interval?
    private let keep: Keep?

    /// Without `saves`, as in a dry run, nothing is written. `giver` says who wants the feeds to be requested. Without
    /// `interval` the server is asked each time. Without `keep`, the last `keep` of the feed applies.
    package init(
        remote: RemoteFeedLoader, local: LocalFeedLoader, saves: Bool = true, givenBy giver: FeedGiver = .person,
        interval: Interval? = nil, keep: Keep? = nil
    ) {
        self.remote = remote
        self.local = local
        self.saves = saves
        self.giver = giver
        self.interval = interval
        self.keep = keep
    }

    /// With `delivers`, a saved copy that can't be read is left alone, and the server's feed is had all the same.
    package func refresh(
        _ url: ResourceURL, delivers: Bool = false, notBefore: Timestamp? = nil,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Refreshed {
        let old: SavedFeed?
        do {
            old = try await local.retrieve(url, withKept: delivers)
        } catch let error where delivers && !error.isCancellation {
            return try await load(url, notSaving: error)
        }
        // One that is delivered takes no lock before its server has answered.
        if saves, !delivers, let keep, let old, old.keep != keep { try await local.hold(keep, for: old.url) }
        // A URL given without its user name and password is asked with those it was saved with.
        let url = url.credentials == nil ? old?.url ?? url : url
        // That the first page is still the latest says nothing of those that were not asked for the last time, nor of images
        // that other rules left out, nor of a new password, which belongs to images at the feed's origin too.
        let known = old.flatMap { old in
            let isAsBefore = old.rules == remote.rules && old.url.credentials == url.credentials
            return isAsBefore && old.pages >= remote.maxPages ? old : nil
        }
        if let interval, let known, try await mayWait(known, interval) {
            return Refreshed(
                feed: known.feed, outcome: .waiting, savedAt: known.savedAt, saveFailure: nil, imageTerms: nil,
                notes: [], keptCount: known.keptCount)
        }
        let wasNamed = old?.isNamed == true
        let answer = try await load(
            url, known?.validators ?? Validators(), givenBy: wasNamed && !giver.isUser ? .person : giver, notBefore)
        func terms(_ validators: Validators, pages: Int) -> SavingTerms {
            SavingTerms(
                validators: validators, pages: pages, isNamed: wasNamed || giver == .person,
                seesOwnNetwork: answer.imageTerms.addresses == .any, movedTo: answer.movedTo, rules: remote.rules,
                keep: keep ?? old?.keep)
        }
        func confirm(_ old: SavedFeed, _ validators: Validators, pages: Int) async throws(FeedError) -> Refreshed {
            try await finish(old.feed, .unchanged, over: old, answer, delivers: delivers) {
                () async throws(FeedError) in
                try await local.confirm(old, from: url, terms(validators, pages: pages), telling: tell)
            }
        }
        switch answer.content {
        case .notModified(let validators):
            guard let old else { throw Self.neverAsked(url) }
            return try await confirm(old, validators, pages: old.pages)
        case .feed(let feed, let validators):
            if let old, old.feed == feed { return try await confirm(old, validators, pages: remote.maxPages) }
            return try await finish(feed, .updated, over: old, answer, delivers: delivers) {
                () async throws(FeedError) in
                try await local.save(
                    feed, from: url, over: old, terms(validators, pages: remote.maxPages), telling: tell)
            }
        }
    }

    private func mayWait(_ saved: SavedFeed, _ interval: Interval) async throws(FeedError) -> Bool {
        guard local.isFresh(saved, maxAge: interval.every), local.isFresh(saved, maxAge: interval.maxAge) else {
            return false
        }
        let choice = ImageChoice(store: interval.images, now: local.now)
        let terms = RequestTerms(feed: saved.url, addresses: saved.seesOwnNetwork ? .any : .publicOnly)
        let request = ImageChoice.Request(feed: saved.url, terms: terms, scope: ImageScope())
        return try await choice.verdicts(on: saved.feed.images, request).allSatisfy { verdict in
            if case .request = verdict { false } else { true }
        }
    }

    private func load(
        _ url: ResourceURL, _ validators: Validators, givenBy giver: FeedGiver, _ notBefore: Timestamp?
    ) async throws(FeedError) -> RemoteFeedLoader.Answer {
        do {
            return try await remote.load(url, validators: validators, givenBy: giver, notBefore: notBefore)
        } catch let error where giver == .cache && error.isAddressRefusal {
            throw FeedError.unnamed(url, "its address is not public")
        } catch let error where giver == .list && error.isAddressRefusal {
            throw error.hinting("a [feed \"\(url)\"] section with allow-private in the config file permits it")
        } catch let error where !giver.isUser && error.isRefusal {
            throw error.hinting("no header or netrc entry was sent; name it with `feedsync \(url)` for that")
        }
    }

    private func load(_ url: ResourceURL, notSaving cause: FeedError) async throws(FeedError) -> Refreshed {
        let answer = try await remote.load(url, givenBy: giver)
        guard case .feed(let feed, _) = answer.content else { throw Self.neverAsked(url) }
        return Refreshed(
            feed: feed, outcome: .updated, savedAt: nil, saveFailure: cause, imageTerms: answer.imageTerms,
            notes: answer.notes)
    }

    private static func neverAsked(_ url: ResourceURL) -> FeedError {
        .invalidData("HTTP 304 to a request that was not conditional", host: url.hostAndPort)
    }

    private func finish(
        _ feed: Feed, _ outcome: Outcome, over old: SavedFeed?, _ answer: RemoteFeedLoader.Answer, delivers: Bool,
        save: () async throws(FeedError) -> LocalFeedLoader.Saved
    ) async throws(FeedError) -> Refreshed {
        func refreshed(savedAt: Timestamp?, _ saveFailure: FeedError? = nil) -> Refreshed {
            Refreshed(
                feed: feed, outcome: outcome, savedAt: savedAt, saveFailure: saveFailure, imageTerms: answer.imageTerms,
                movedTo: isNews(answer.movedTo, after: old?.movedTo) ? answer.movedTo : nil, notes: answer.notes,
                keptCount: old?.keptCount ?? 0, kept: old.map { feed.withoutNamed($0.kept) } ?? [],
                hasEmptied: feed.images.isEmpty && old?.feed.images.isEmpty == false)
        }
        let savedBefore = outcome == .unchanged ? old?.savedAt : nil
        guard saves else { return refreshed(savedAt: savedBefore) }
        do {
            let saved = try await save()
            var refreshed = refreshed(savedAt: saved.moment)
            refreshed.keptCount = saved.keptCount
            if saved.keptCount > 0, let old {
                if delivers {
                    refreshed.kept = try await local.retrieve(old.url, withKept: true)?.kept ?? []
                } else {
                    refreshed.keptWithoutData = try await local.keptWithoutData(of: old.url)
                }
            }
            if outcome == .updated, let old {
                refreshed.predecessors = feed.predecessors(in: old.feed.images + saved.returned)
            }
            return refreshed
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return refreshed(savedAt: savedBefore, error)
        }
    }

    /// A query may be a signature, which each redirect has anew.
    private func isNews(_ place: ResourceURL?, after old: ResourceURL?) -> Bool {
        place?.withoutQuery != old?.withoutQuery
    }
}
