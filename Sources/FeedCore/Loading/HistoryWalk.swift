/// Use case: walk through the older pages of a feed whose items are kept.
///
/// Each page is saved together with the URL of the page after it, in one transaction, before that page is requested. A
/// run that is killed or that fails loses at most the page under way, and the next run continues there.
struct HistoryWalk {
    /// The most notes of all pages together.
    private static let mostNotes = 1000

    private let remote: RemoteFeedLoader
    private let local: LocalFeedLoader
    private let follower: PageFollower?
    private let keep: Keep
    private let terms: RequestTerms
    /// The walks to continue, those through newer pages first.
    private(set) var walks: [OpenWalk]
    private var known: SavedImageIDs
    private let removed: RemovedImages
    private var trail: PageTrail
    /// The number of images of this run, and of pages without a new one: a hostile server has pages without end.
    private var count: Int
    /// The page after the last one at which a walk ended because everything was saved.
    private var beyond: FeedPage?

    /// Plans the walks after the first page.
    ///
    /// A new walk begins if the first page has something new, or if more pages are wanted than before.
    init(
        after answer: RemoteFeedLoader.Answer, of url: ResourceURL, over old: SavedFeed?, keep: Keep,
        without removed: RemovedImages, _ remote: RemoteFeedLoader, _ local: LocalFeedLoader,
        following follower: PageFollower?
    ) async throws(FeedError) {
        (self.remote, self.local, self.follower, self.keep) = (remote, local, follower, keep)
        (terms, trail) = (answer.imageTerms, answer.trail)
        walks = old?.walks ?? []
        known = try await local.imageIDs(of: url)
        self.removed = removed
        count = 0
        guard case .feed(let feed, _) = answer.content else { return }
        count = feed.images.count
        let isDeeper = (old?.pages ?? 0) < remote.maxPages
        if isDeeper { walks = [] }
        let hasNew = !feed.images.allSatisfy(known.contains)
        if let next = answer.next, isDeeper || hasNew {
            walks.insert(OpenWalk(page: next, endsAtSaved: !isDeeper, begun: local.now()), at: 0)
        }
        for image in feed.images { known.insert(image.id) }
    }

    /// Walks, and saves each page.
    ///
    /// `first` is the result of saving the first page as `saved`.
    mutating func run(
        after first: LocalFeedLoader.Saved, of saved: SavedFeed, telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> LocalFeedLoader.Saved {
        var result = first
        let earlierNotes = trail.notes.count
        while let index = walks.firstIndex(where: { $0.page.number <= remote.maxPages }) {
            let walk = goingBeyond(walks.remove(at: index))
            let ended = walks
            var images: [FeedImage] = []
            do throws(FeedError) {
                let page: DecodedFeed?
                (page, trail) = try await remote.load(walk.page, after: trail, on: terms)
                if let page {
                    let new = try await follow(try newImages(of: page), of: saved, in: &result, telling: tell)
                    images = new.map { image in
                        image.leaving(walk.lastSeen).reaching(
                            onlyPublic: image.isPublicOnly || !saved.reachesPrivate)
                    }
                    result.notes += page.notes.prefix(Self.mostNotes - result.notes.count)
                    if let next = next(after: page, of: walk, isNew: !images.isEmpty, atMost: saved.pages) {
                        walks.insert(walk.going(to: next), at: index)
                    }
                }
            } catch {
                if error.isCancellation { throw error }
                result.pageFailure = error.about(walk.page)
                break
            }
            tell(.savingPage(walk.page.number, images: images.count))
            (result.keptCount, walks) = try await local.savePage(
                images, of: saved, by: keep, walks: walks, ifFull: ended)
        }
        result.notes += trail.notes.dropFirst(earlierNotes)
        return result
    }

    /// Puts the images of linked pages in place of the pages.
    ///
    /// An older page of the feed is requested once, and so is a page that its items link to, even if it fails.
    private func follow(
        _ images: [FeedImage], of saved: SavedFeed, in result: inout LocalFeedLoader.Saved,
        telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> [FeedImage] {
        guard let follower else { return images }
        let followed = try await follower.follow(
            Feed(format: saved.feed.format, images: images), knowing: .init(), requests: true, on: terms, telling: tell)
        result.linkedPages.add(followed.report)
        return followed.feed.images.filter { !removed.covers($0) }
    }

    /// Returns the images of the page's items that are not saved.
    private mutating func newImages(of page: DecodedFeed) throws(FeedError) -> [FeedImage] {
        var new: [FeedImage] = []
        for item in page.items {
            let images = page.feed.images[item]
            // The images of an item without an id have ids of their own, and several items can share the first image.
            let hasOwnIDs = images.allSatisfy { $0.id == $0.url.text }
            if !hasOwnIDs, let first = images.first, known.contains(first) { continue }
            for image in images where !known.contains(image) && !removed.covers(image) {
                new.append(image)
                known.insert(image.id)
            }
        }
        count += max(1, new.count)
        guard count <= remote.mostImages else { throw .invalidData(FeedSizeLimit.tooMany(remote.mostImages)) }
        return new
    }

    /// Returns where a walk continues after a page; nil at its end.
    private mutating func next(
        after page: DecodedFeed, of walk: OpenWalk, isNew: Bool, atMost maxPages: Int
    ) -> FeedPage? {
        guard let next = trail.next(after: page, number: walk.page.number), next.number <= maxPages else { return nil }
        // A page without an image leaves it open whether older pages are saved.
        guard walk.endsAtSaved, !isNew, !page.feed.images.isEmpty else { return next }
        beyond = next
        return nil
    }

    /// Returns the walk, after the pages that a walk through newer items has already requested.
    private func goingBeyond(_ walk: OpenWalk) -> OpenWalk {
        guard trail.hasSeen(walk.page), let beyond, !trail.hasSeen(beyond) else { return walk }
        return walk.going(to: beyond)
    }
}
