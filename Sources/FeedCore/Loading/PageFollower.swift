/// Use case: find the images of items without an image on the pages to which the items link.
///
/// Each page is requested once: later runs take its images from the saved items. A page that failed is requested again
/// as a failed image is.
package struct PageFollower: Sendable {
    /// The most bytes of a page.
    package static let mostBytes: Int64 = 5 << 20

    private let client: any HTTPClient
    private let decoder: any FeedDecoding
    private let selection: ImageSelection
    private let mostImages: Int
    private let retriesFailed: Bool
    private let pagesAtOnce: Int
    private let bodies: FeedBodies
    private let now: @Sendable () -> Timestamp

    /// Creates the use case.
    ///
    /// `mostImages` is the limit for all images of a feed. The client decides how many of the `pagesAtOnce` requests
    /// are in flight.
    package init(
        client: any HTTPClient, decoder: any FeedDecoding, selection: ImageSelection, mostImages: Int,
        retriesFailed: Bool, pagesAtOnce: Int, bodies: FeedBodies = .shared,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.client = client
        self.decoder = decoder
        self.selection = selection
        self.mostImages = mostImages
        self.retriesFailed = retriesFailed
        self.pagesAtOnce = max(1, pagesAtOnce)
        self.bodies = bodies
        self.now = now
    }

    package typealias Pages = [ResourceURL.Key: LinkedPage]

    /// The pages of earlier runs, and the images that were found there.
    struct KnownPages: Sendable {
        var pages: Pages = [:]
        var images: [ResourceURL.Key: [FeedImage]] = [:]
    }

    /// What a request for a page has found.
    private struct FoundPage: Sendable {
        let page: LinkedPage
        var images: [PageImage] = []
    }

    /// A feed after its pages were followed.
    struct Followed: Sendable {
        /// The feed, in which the images that were found replace the pages.
        var feed: Feed
        /// The pages of the feed that a later run need not request.
        var pages: Pages = [:]
        var report = LinkedPagesReport()
    }

    /// Returns whether a request for one of these pages is due.
    func isDue(_ pages: Pages) -> Bool { pages.values.contains(where: isDue) }

    private func isDue(_ page: LinkedPage) -> Bool {
        guard let failure = page.failure else { return false }
        return retriesFailed
            || !PermanentFailures.isLeftAlone(lastFailure: (failure.failedAt, failure.count), now: now())
    }

    /// Requests the pages of a feed that are new or due, and puts their images into the feed.
    ///
    /// `known` are the pages of earlier runs. Without `requests`, only these are used.
    func follow(
        _ feed: Feed, knowing known: KnownPages, requests: Bool, on terms: RequestTerms,
        telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> Followed {
        var pages: Pages = [:]
        var due: [ResourceURL] = []
        var seen: Set<ResourceURL.Key> = []
        for image in feed.images where image.isOnPage && seen.insert(image.url.key).inserted {
            let page = known.pages[image.url.key]
            pages[image.url.key] = page
            if page.map(isDue) ?? true { due.append(image.url) }
        }
        if !due.isEmpty { tell(.following(pages: due.count)) }
        let requested = requests ? try await request(due, pages, on: terms, telling: tell) : []
        var images = known.images.mapValues { $0.map(PageImage.init) }
        for found in requested {
            pages[found.page.url.key] = found.page
            images[found.page.url.key] = found.images
        }
        let dueKeys = Set(due.lazy.map(\.key))
        return Followed(
            feed: try complete(feed, pages, images), pages: pages,
            report: LinkedPagesReport(
                failed: requested.map(\.page).filter { $0.failure != nil }.inOrder(of: due),
                leftAlone: pages.values.filter { $0.failure != nil && !dueKeys.contains($0.url.key) }))
    }

    /// Returns the report on the pages of a feed that has not changed.
    func report(_ pages: Pages) -> LinkedPagesReport {
        LinkedPagesReport(leftAlone: pages.values.filter { $0.failure != nil })
    }

    /// Puts the images of the pages into the feed.
    private func complete(
        _ feed: Feed, _ pages: Pages, _ found: [ResourceURL.Key: [PageImage]]
    ) throws(FeedError) -> Feed {
        guard feed.images.contains(where: \.isOnPage) else { return feed }
        var images: [FeedImage] = []
        for image in feed.images {
            let isPublic = pages[image.url.key]?.isPublic ?? true
            images += image.isOnPage ? image.showing(found[image.url.key] ?? [], isPublicOnly: isPublic) : [image]
            guard images.count <= mostImages else { throw .invalidData(FeedSizeLimit.tooMany(mostImages)) }
        }
        return feed.with(images)
    }

    // MARK: Requests

    private func request(
        _ urls: [ResourceURL], _ known: Pages, on terms: RequestTerms,
        telling tell: @escaping @Sendable (FeedStep) -> Void
    ) async throws(FeedError) -> [FoundPage] {
        var pages: [FoundPage] = []
        var isCancelled = false
        await withTaskGroup(of: FoundPage?.self) { group in
            var rest = urls[...]
            func startNext(in group: inout TaskGroup<FoundPage?>) {
                guard !isCancelled, let url = rest.popFirst() else { return }
                group.addTask { await request(url, after: known[url.key]?.failure, on: terms) }
            }
            for _ in 0..<pagesAtOnce { startNext(in: &group) }
            while let found = await group.next() {
                if let found {
                    pages.append(found)
                    if found.page.failure == nil { tell(.followed(found.page.url, images: found.images.count)) }
                } else {
                    isCancelled = true
                    group.cancelAll()
                }
                startNext(in: &group)
            }
        }
        if isCancelled || Task.isCancelled { throw .cancelled }
        return pages
    }

    /// Returns the page; nil if the task was cancelled.
    private func request(
        _ url: ResourceURL, after earlier: RememberedFailure?, on terms: RequestTerms
    ) async -> FoundPage? {
        do {
            return try await page(at: url, on: terms)
        } catch let error where error.isCancellation {
            return nil
        } catch {
            let error = Self.isTooLarge(error) ? .invalidData("the page is larger than 5M", host: error.host) : error
            let count = PermanentFailures.isPermanent(error) ? (earlier?.count ?? 0) + 1 : 0
            let failure = RememberedFailure(error: error, failedAt: now(), count: count)
            return FoundPage(page: LinkedPage(url: url, failure: failure))
        }
    }

    private func page(at url: ResourceURL, on terms: RequestTerms) async throws(FeedError) -> FoundPage {
        let request = HTTPRequest(url: url, validators: Validators(), maxBytes: Self.mostBytes, on: terms)
        let (response, body) = try await bodies.get(request, from: client, accepting: Self.isPage)
        guard !Task.isCancelled else { throw .cancelled }
        guard response.head.status == HTTPStatus.ok else { throw HTTPStatus.failure(response, askedFor: url) }
        guard Self.isPage(response.head) else {
            let type = response.head[.contentType].map { "of the type \($0)" } ?? "without a type"
            throw .invalidData("a response \(type), no web page", host: url.hostAndPort)
        }
        let images = try await bodies.reading(body) { bytes throws(FeedError) in
            let page = FeedSource(
                bytes: bytes, url: response.redirectedURL ?? url, contentType: response.head[.contentType])
            return try decoder.readPage(page, taking: selection)
        }
        return FoundPage(page: LinkedPage(url: url, isPublic: !response.isFromPrivateAddress), images: images)
    }

    private static func isPage(_ head: HTTPHead) -> Bool {
        let type = head[.contentType]?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return type?.lowercased() == "text/html"
    }

    /// The limit is fixed, so that no setting lets the page pass.
    private static func isTooLarge(_ error: FeedError) -> Bool {
        error.kind == .invalidData && error.dependsOnSettings && error.stage == .transferring
    }
}

extension [LinkedPage] {
    fileprivate func inOrder(of urls: [ResourceURL]) -> [LinkedPage] {
        let pages = [ResourceURL.Key: LinkedPage](map { ($0.url.key, $0) }) { $1 }
        return urls.compactMap { pages[$0.key] }
    }
}

extension FeedImage {
    /// Whether the image is still to be found on the page at its URL.
    fileprivate var isOnPage: Bool { target != .image }

    /// Returns the images of a page as images of the item that links to it.
    fileprivate func showing(_ found: [PageImage], isPublicOnly: Bool) -> [FeedImage] {
        let post = FeedPost.onPage(url, of: post)
        return found.enumerated().map { index, image in
            FeedImage(
                id: target == .page(ofItemWithID: true) ? FeedImage.id(index, of: id) : image.url.text,
                description: image.description ?? description, location: location, url: image.url, post: post,
                alternatives: image.alternatives, isPublicOnly: isPublicOnly)
        }
    }
}

extension PageImage {
    /// Returns the image of a page as an earlier run saved it.
    ///
    /// A description that is the title of the item is the item's, which can have another title now.
    fileprivate init(_ saved: FeedImage) {
        self.init(
            url: saved.url, description: saved.description == saved.title ? nil : saved.description,
            alternatives: saved.alternatives)
    }
}
