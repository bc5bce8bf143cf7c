/// Use case: request the latest feed and update the saved copy.
package struct FeedRefresh: Sendable {
    package enum Outcome: Hashable, Sendable {
        case updated, unchanged
        /// The saved feed was confirmed so recently that no request was made.
        case waiting
    }

    package struct Refreshed: Sendable {
        package let feed: Feed
        package let outcome: Outcome
        /// The moment of saving; nil without a readable saved copy.
        package let savedAt: Timestamp?
        /// The reason why saving failed.
        ///
        /// The feed is delivered anyway, because the response is good.
        package let saveFailure: FeedError?
        /// The reason why a further page could not be loaded, although the pages before it are saved.
        package var pageFailure: FeedError?
        /// The terms on which the images may be requested; nil without a request.
        package let imageTerms: RequestTerms?
        /// Whether the user has named the feed, in this run or before.
        var isNamed = false
        /// The new URL of the feed, if it was not reported before.
        package var movedTo: ResourceURL?
        /// Notes about what was left out of the feed.
        package let notes: [String]
        /// The number of kept images that have left the feed; the images themselves, if the feed is delivered; and the
        /// images whose data may be missing.
        package var keptCount = 0
        var kept: [FeedImage] = []
        var keptWithoutData: [FeedImage] = []
        /// Whether the feed had images the last time and has none now.
        package var hasEmptied = false
        /// The earlier URLs of images whose URLs differ only in the query.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
        package var linkedPages = LinkedPagesReport()

        static func waiting(_ saved: SavedFeed) -> Refreshed {
            Refreshed(
                feed: saved.feed, outcome: .waiting, savedAt: saved.savedAt, saveFailure: nil, imageTerms: nil,
                notes: [], keptCount: saved.keptCount)
        }
    }

    /// The pause between two requests for a feed whose saved copy is fresh and whose images are all there.
    package struct Interval: Sendable {
        let every: RequestPause
        let maxAge: MaxAge
        let images: any ImageStore

        package init(every: RequestPause, maxAge: MaxAge, images: any ImageStore) {
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
    private let follower: PageFollower?

    /// Creates the use case.
    ///
    /// `saves` is false for a dry run. `giver` wants the feeds to be requested. A nil `interval` means a request in
    /// every run, a nil `keep` means the last `keep` of the feed, and a nil `follower` means that items without an image
    /// have none.
    package init(
        remote: RemoteFeedLoader, local: LocalFeedLoader, saves: Bool = true, givenBy giver: FeedGiver = .person,
        interval: Interval? = nil, keep: Keep? = nil, following follower: PageFollower? = nil
    ) {
        self.remote = remote
        self.local = local
        self.saves = saves
        self.giver = giver
        self.interval = interval
        self.keep = keep
        self.follower = follower
    }

    /// Requests the feed.
    ///
    /// With `delivers`, an unreadable saved copy stays as it is, and the feed is loaded anyway. An unreadable list of
    /// removed images is an error, because the feed would show them again.
    package func refresh(
        _ url: ResourceURL, delivers: Bool = false, notBefore: Timestamp? = nil,
        telling tell: @escaping @Sendable (FeedStep) -> Void = { _ in }
    ) async throws(FeedError) -> Refreshed {
        let old: SavedFeed?
        do {
            old = try await local.retrieve(url, withKept: delivers)
        } catch let error where delivers && !error.isCancellation {
            return try await load(url, notSaving: error, telling: tell)
        }
        let removed = try await local.removed(from: url)
        // A feed that is delivered takes the lock after its server has answered.
        if saves, !delivers, let keep, let old, old.keep != keep { try await local.hold(keep, for: old.url) }
        // A URL without credentials is requested with those that were saved with it.
        let url = url.credentials == nil ? old?.url ?? url : url
        // A confirmation of the first page says nothing about pages that were not requested the last time, about images
        // that other rules left out, or about a new password, which applies to images at the origin of the feed, too.
        let known = old.flatMap { old in
            let isAsBefore = old.rules == remote.rules && old.url.credentials == url.credentials
            return isAsBefore && old.pages >= remote.maxPages ? old : nil
        }
        if let interval, let known, try await mayWait(known, interval) {
            return Refreshed.waiting(known)
        }
        let isNamed = old.map { $0.naming != .unnamed } ?? false
        let pages = pages(of: old)
        // Only the whole feed names the items whose pages are due.
        let isDue = follower?.isDue(pages.pages) == true
        var answer = try await load(
            url, (isDue ? nil : known?.validators) ?? Validators(),
            givenBy: isNamed && !giver.isUser ? .person : giver, notBefore, onlyFirst: keepToWalk(over: old) != nil)
        let followed = try await follow(&answer, knowing: pages, telling: tell)
        var refreshed = try await take(
            answer.without(removed), without: removed, followed.pages, of: url, over: old, delivers: delivers,
            telling: tell)
        refreshed.linkedPages.add(followed.report)
        refreshed.isNamed = isNamed || giver.isUser
        return refreshed
    }

    /// Returns the pages of earlier runs; of runs with other rules only the failures, because the pages may have other
    /// images now.
    private func pages(of old: SavedFeed?) -> PageFollower.KnownPages {
        guard let old, follower != nil, !old.linkedPages.isEmpty else { return .init() }
        guard old.rules == remote.rules else { return .init(pages: old.linkedPages.filter { $0.value.failure != nil }) }
        // Several items can link to one page.
        var seen: Set<[ResourceURL.Key]> = []
        var images: [ResourceURL.Key: [FeedImage]] = [:]
        for image in old.feed.images {
            guard let page = image.post?.page, seen.insert([page.key, image.url.key]).inserted else { continue }
            images[page.key, default: []].append(image)
        }
        return .init(pages: old.linkedPages, images: images)
    }

    /// Puts the images of linked pages into the feed of an answer.
    private func follow(
        _ answer: inout RemoteFeedLoader.Answer, knowing pages: PageFollower.KnownPages,
        telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> (pages: PageFollower.Pages, report: LinkedPagesReport) {
        guard let follower else { return ([:], LinkedPagesReport()) }
        guard case .feed(let feed, let validators) = answer.content else {
            return (pages.pages, follower.report(pages.pages))
        }
        let followed = try await follower.follow(
            feed, knowing: pages, requests: saves, on: answer.imageTerms, telling: tell)
        answer.content = .feed(followed.feed, validators)
        return (followed.pages, followed.report)
    }

    /// Returns the rule by which older pages are saved one by one; nil if the pages are one feed or if there is only one.
    private func keepToWalk(over old: SavedFeed?) -> Keep? {
        guard saves, let keep = keep ?? old?.keep, !keep.isNone else { return nil }
        return max(old?.pages ?? 1, remote.maxPages) > 1 ? keep : nil
    }

    /// Returns the walk through the older pages, which are saved one by one; nil if there is none.
    private func walk(
        after answer: RemoteFeedLoader.Answer, of url: ResourceURL, over old: SavedFeed?, without removed: RemovedImages
    ) async throws(FeedError) -> HistoryWalk? {
        guard let keep = keepToWalk(over: old) else { return nil }
        return try await HistoryWalk(
            after: answer, of: url, over: old, keep: keep, without: removed, remote, local, following: follower)
    }

    /// Saves or confirms the feed, as the server answered.
    private func take(
        _ answer: RemoteFeedLoader.Answer, without removed: RemovedImages, _ linkedPages: PageFollower.Pages,
        of url: ResourceURL, over old: SavedFeed?, delivers: Bool, telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> Refreshed {
        // The feed itself says nothing in a 304.
        var interval = answer.interval
        if case .notModified = answer.content { interval = UpdateInterval.longest(of: old?.interval, answer.interval) }
        var walk = try await walk(after: answer, of: url, over: old, without: removed)
        func finish(
            _ feed: Feed, _ outcome: Outcome, _ validators: Validators, pages: Int
        ) async throws(FeedError) -> Refreshed {
            try await self.finish(feed, outcome, of: url, over: old, answer, delivers: delivers) {
                () async throws(FeedError) in
                let new = SavedFeed(
                    url: url, feed: feed, savedAt: local.now(), validators: validators,
                    pages: walk == nil ? pages : max(pages, old?.pages ?? 1), walks: walk?.walks ?? [],
                    naming: max(old?.naming ?? .unnamed, giver.naming), reachesPrivate: answer.reachesPrivate,
                    movedTo: answer.movedTo, rules: remote.rules, keep: keep ?? old?.keep, interval: interval,
                    linkedPages: linkedPages)
                let result =
                    if outcome == .unchanged, let old {
                        try await local.confirm(new, over: old, telling: tell)
                    } else {
                        try await local.save(new, over: old, telling: tell)
                    }
                return try await walk?.run(after: result, of: new.at(result.moment), telling: tell) ?? result
            }
        }
        switch answer.content {
        case .notModified(let validators):
            guard let old else { throw Self.neverAsked(url) }
            let feed = answer.reachesPrivate && !old.reachesPrivate ? old.feedReachingPrivate : old.feed
            return try await finish(feed, .unchanged, validators, pages: old.pages)
        case .feed(let feed, let validators):
            let outcome: Outcome = old?.feed == feed ? .unchanged : .updated
            return try await finish(feed, outcome, validators, pages: remote.maxPages)
        }
    }

    private func mayWait(_ saved: SavedFeed, _ interval: Interval) async throws(FeedError) -> Bool {
        let every: MaxAge
        switch interval.every {
        case .age(let age): every = age
        case .auto:
            guard let asked = saved.interval else { return false }
            every = .span(asked)
        }
        guard local.isFresh(saved, maxAge: every), local.isFresh(saved, maxAge: interval.maxAge),
            !saved.walks.contains(where: { $0.page.number <= remote.maxPages })
        else { return false }
        if follower?.isDue(saved.linkedPages) == true { return false }
        let choice = ImageChoice(store: interval.images, now: local.now)
        let terms = RequestTerms(feed: saved.url, addresses: saved.reachesPrivate ? .any : .publicOnly)
        let request = ImageChoice.Request(feed: saved.url, terms: ImageTerms(terms), scope: ImageScope())
        return try await choice.verdicts(on: saved.feed.images, request).allSatisfy { verdict in
            if case .request = verdict { false } else { true }
        }
    }

    private func load(
        _ url: ResourceURL, _ validators: Validators, givenBy giver: FeedGiver, _ notBefore: Timestamp?,
        onlyFirst: Bool
    ) async throws(FeedError) -> RemoteFeedLoader.Answer {
        do {
            return try await remote.load(
                url, validators: validators, givenBy: giver, notBefore: notBefore, onlyFirst: onlyFirst)
        } catch let error where giver == .list && error.isAddressRefusal {
            throw error.hinting("a [feed \"\(url)\"] section with allow-private in the config file permits it")
        } catch let error where !giver.isUser && error.isRefusal {
            throw error.hinting("no header or netrc entry was sent; name it with `feedsync \(url)` for that")
        }
    }

    private func load(
        _ url: ResourceURL, notSaving cause: FeedError, telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> Refreshed {
        // If the whole cache is out of reach, the removed images are unknown.
        let isOnlyFeed = cause.kind == .storage(.unreadable)
        let removed = isOnlyFeed ? try await local.removed(from: url) : RemovedImages()
        var answer = try await remote.load(url, givenBy: giver)
        _ = try await follow(&answer, knowing: .init(), telling: tell)
        answer = answer.without(removed)
        guard case .feed(let feed, _) = answer.content else { throw Self.neverAsked(url) }
        return Refreshed(
            feed: feed, outcome: .updated, savedAt: nil, saveFailure: cause, imageTerms: answer.imageTerms,
            notes: answer.notes)
    }

    private static func neverAsked(_ url: ResourceURL) -> FeedError {
        .invalidData("HTTP 304 to a request that was not conditional", host: url.hostAndPort)
    }

    private func finish(
        _ feed: Feed, _ outcome: Outcome, of url: ResourceURL, over old: SavedFeed?, _ answer: RemoteFeedLoader.Answer,
        delivers: Bool,
        save: () async throws(FeedError) -> LocalFeedLoader.Saved
    ) async throws(FeedError) -> Refreshed {
        func refreshed(savedAt: Timestamp?, _ saveFailure: FeedError? = nil, notes: [String] = []) -> Refreshed {
            Refreshed(
                feed: feed, outcome: outcome, savedAt: savedAt, saveFailure: saveFailure, imageTerms: answer.imageTerms,
                movedTo: isNews(answer.movedTo, after: old?.movedTo) ? answer.movedTo : nil,
                notes: answer.notes + notes,
                keptCount: old?.keptCount ?? 0, kept: old.map { feed.withoutNamed($0.kept) } ?? [],
                hasEmptied: feed.images.isEmpty && old?.feed.images.isEmpty == false)
        }
        let savedBefore = outcome == .unchanged ? old?.savedAt : nil
        guard saves else { return refreshed(savedAt: savedBefore) }
        do {
            let saved = try await save()
            var refreshed = refreshed(savedAt: saved.moment, notes: saved.notes)
            refreshed.pageFailure = saved.pageFailure
            refreshed.linkedPages = saved.linkedPages
            refreshed.keptCount = saved.keptCount
            if saved.keptCount > 0 {
                if delivers {
                    refreshed.kept = try await local.retrieve(url, withKept: true)?.kept ?? []
                } else {
                    refreshed.keptWithoutData = try await local.keptWithoutData(of: url)
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

    /// Whether the new URL differs in more than the query, which may be a signature that each redirect makes anew.
    private func isNews(_ place: ResourceURL?, after old: ResourceURL?) -> Bool {
        place?.withoutQuery != old?.withoutQuery
    }
}
