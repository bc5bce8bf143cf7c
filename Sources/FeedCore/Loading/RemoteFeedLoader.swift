/// Use case: load a feed from its server.
package struct RemoteFeedLoader: Sendable {
    package struct Answer: Sendable {
        package enum Content: Hashable, Sendable {
            case feed(Feed, Validators)
            /// The feed that the validators came with is still the latest.
            case notModified(Validators)
        }

        package internal(set) var content: Content
        /// The terms on which the images of the feed may be requested.
        package let imageTerms: RequestTerms
        /// Whether the feed comes from a private address or a file, so that it may reference private addresses.
        let reachesPrivate: Bool
        /// The URL that the feed has moved to permanently, as its server says.
        ///
        /// It is reported and never requested.
        package let movedTo: ResourceURL?
        /// The pause between two requests that the feed and its server ask for.
        package var interval: Duration?
        /// Notes about what was left out of the feed.
        package var notes: [String] = []
        /// The page after the last one of this answer.
        var next: FeedPage?
        let trail: PageTrail

        /// Returns the answer without the images that the user removed from the feed.
        func without(_ removed: RemovedImages) -> Answer {
            guard case .feed(let feed, let validators) = content, !removed.isEmpty else { return self }
            var answer = self
            answer.content = .feed(feed.without(removed), validators)
            return answer
        }
    }

    private let client: any HTTPClient
    private let decoder: any FeedDecoding
    private let maxBytes: Int64
    let maxPages: Int
    private let selection: ImageSelection
    private let identity: OwnCredentials
    private let allowsPrivate: Bool
    private let manner: RequestManner?
    private let imageLimits: ImageLimits
    private let bodies: FeedBodies

    var rules: String { selection.rules }

    /// Creates the use case.
    ///
    /// `maxBytes` is the limit for all pages together. `manner` is nil if the feed has none of its own.
    package init(
        client: any HTTPClient, decoder: any FeedDecoding, maxBytes: Int64, maxPages: Int = 1,
        selection: ImageSelection = ImageSelection(), identity: OwnCredentials = OwnCredentials(),
        allowsPrivate: Bool = false,
        manner: RequestManner? = nil, imageLimits: ImageLimits = ImageLimits(),
        bodies: FeedBodies = .shared
    ) {
        self.bodies = bodies
        self.client = client
        self.decoder = decoder
        self.maxBytes = maxBytes
        self.maxPages = maxPages
        self.selection = selection
        self.identity = identity
        self.allowsPrivate = allowsPrivate
        self.manner = manner
        self.imageLimits = imageLimits
    }

    /// Requests the feed.
    ///
    /// With validators the request is conditional, and `notModified` for the first page counts for all pages. The
    /// deadline includes reading the feed, because a hostile feed can take longer to read than to receive. `notBefore`
    /// is the end of a pause that the server asked for in an earlier run. With `onlyFirst`, the caller requests the
    /// further pages.
    package func load(
        _ url: ResourceURL, validators: Validators = Validators(), givenBy giver: FeedGiver = .person,
        notBefore: Timestamp? = nil, onlyFirst: Bool = false
    ) async throws(FeedError) -> Answer {
        try await limited { () async throws(FeedError) in
            try await request(url, validators, givenBy: giver, notBefore, maxPages: onlyFirst ? 1 : maxPages)
        }
    }

    private func limited<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let deadline = client.deadline else { return try await work() }
        return try await deadline.limit(work)
    }

    private func request(
        _ url: ResourceURL, _ validators: Validators, givenBy giver: FeedGiver, _ notBefore: Timestamp?, maxPages: Int
    ) async throws(FeedError) -> Answer {
        let terms = RequestTerms(
            feed: url, secrets: giver.isUser ? identity.secrets(for: url) : OwnCredentials().secrets(for: url),
            addresses: giver.isUser || allowsPrivate ? .any : .publicOnly, manner: manner,
            allowsPrivate: allowsPrivate, imageLimits: imageLimits)
        let (response, body) = try await get(url, validators, maxBytes: maxBytes, on: terms, notBefore)
        let head = response.head
        let reachesPrivate = giver.isUser && (!url.isRemote || response.isFromPrivateAddress)
        let specialOrigin = giver.isUser && response.isFromSpecialAddress ? url.origin : nil
        let imageTerms = terms.reaching(
            reachesPrivate || allowsPrivate ? .any : .publicOnly, specialOrigin: specialOrigin)
        let movedTo = Self.newURL(of: url, response)
        let trail = PageTrail(from: url, response.redirectedURL)
        switch head.status {
        case HTTPStatus.ok:
            var pages = PagedFeed(
                try await decode(body, response, askedFor: url), trail, mostImages: mostImages)
            try await loadFurther(&pages, atMost: maxPages, bytes: response.bodyBytes, on: imageTerms)
            return Answer(
                content: .feed(pages.feed, head.validators), imageTerms: imageTerms, reachesPrivate: reachesPrivate,
                movedTo: movedTo, interval: UpdateInterval.longest(of: pages.interval, UpdateInterval.maxAge(in: head)),
                notes: pages.notes, next: pages.next, trail: pages.trail)
        case HTTPStatus.notModified where !validators.isEmpty:
            return Answer(
                content: .notModified(validators.updated(by: head.validators)), imageTerms: imageTerms,
                reachesPrivate: reachesPrivate, movedTo: movedTo,
                interval: UpdateInterval.longest(of: nil, UpdateInterval.maxAge(in: head)),
                trail: trail)
        default:
            throw HTTPStatus.failure(response, askedFor: url)
        }
    }

    /// A URL with credentials is not reported: a server may not suggest a password.
    private static func newURL(of url: ResourceURL, _ response: HTTPResponse) -> ResourceURL? {
        guard let new = response.movedTo, new.credentials == nil else { return nil }
        return new.keyWithoutFragment == url.keyWithoutFragment ? nil : new
    }

    /// Requests the further pages on the terms of the images, because the feed names them as it names its images.
    private func loadFurther(
        _ pages: inout PagedFeed, atMost maxPages: Int, bytes: Int64, on terms: RequestTerms
    ) async throws(FeedError) {
        var bytes = bytes
        while pages.count < maxPages, let page = pages.takeNext() {
            do throws(FeedError) {
                guard bytes < maxBytes else {
                    let limit = ByteCount.text(maxBytes)
                    throw FeedError.invalidData("the pages are larger than \(limit) (see --max-feed-size)")
                        .dependingOnSettings()
                }
                let (response, body) = try await get(page.url, Validators(), maxBytes: maxBytes - bytes, on: terms)
                let decoded = try await decode(body, response, of: page) { pages.enters($0) }
                guard let decoded else { return }
                bytes += response.bodyBytes
                try pages.add(decoded)
            } catch {
                throw error.isCancellation ? error : error.about(page)
            }
        }
    }

    /// Requests a further page of a walk whose pages are saved one by one; the page is nil at the end of the walk.
    func load(
        _ page: FeedPage, after trail: PageTrail, on terms: RequestTerms
    ) async throws(FeedError) -> (page: DecodedFeed?, trail: PageTrail) {
        try await limited { () async throws(FeedError) in
            var trail = trail
            guard trail.enters(page.url) else { return (nil, trail) }
            let (response, body) = try await get(page.url, Validators(), maxBytes: maxBytes, on: terms)
            let decoded = try await decode(body, response, of: page) { trail.enters($0) }
            return (decoded, trail)
        }
    }

    /// Returns a further page; nil at the end of the walk.
    ///
    /// A redirect ends the walk where a link to its target would, and so does a missing page that was guessed.
    private func decode(
        _ body: CollectedBytes, _ response: HTTPResponse, of page: FeedPage, ifEntering enters: (ResourceURL) -> Bool
    ) async throws(FeedError) -> DecodedFeed? {
        let place = response.redirectedURL ?? page.url
        guard place.keyWithoutFragment == page.url.keyWithoutFragment || enters(place) else { return nil }
        let status = response.head.status
        if page.isGuessed, status == HTTPStatus.notFound { return nil }
        guard status == HTTPStatus.ok else { throw HTTPStatus.failure(response, askedFor: page.url) }
        return try await decode(body, response, askedFor: page.url)
    }

    private func get(
        _ url: ResourceURL, _ validators: Validators, maxBytes: Int64, on terms: RequestTerms,
        _ notBefore: Timestamp? = nil
    ) async throws(FeedError) -> (HTTPResponse, CollectedBytes) {
        var request = HTTPRequest(url: url, validators: validators, maxBytes: maxBytes, on: terms)
        request.notBefore = notBefore
        let (response, body) = try await bodies.get(request, from: client)
        guard !Task.isCancelled else { throw .cancelled }
        return (response, body)
    }

    private func decode(
        _ body: CollectedBytes, _ response: HTTPResponse, askedFor url: ResourceURL
    ) async throws(FeedError) -> DecodedFeed {
        let place = response.redirectedURL ?? url
        var decoded: DecodedFeed
        do throws(FeedError) {
            decoded = try await bodies.reading(body) { bytes throws(FeedError) in
                let document = FeedSource(
                    bytes: bytes, url: place, contentType: response.head[.contentType], mostImages: mostImages)
                return try decoder.decode(document, taking: selection)
            }
        } catch {
            // The response can come from a login page, for example.
            guard error.kind == .invalidData, place != url else { throw error }
            throw error.saying("\(error.reason), redirected to \(place)")
        }
        if decoded.nextPage == nil, let link = response.head[.link].flatMap(LinkHeader.next) {
            // An invalid link counts as no link.
            do { decoded.nextPage = try place.resolving(link) } catch { decoded.nextPage = nil }
        }
        return decoded
    }

    var mostImages: Int { FeedSizeLimit(bytes: maxBytes).images }
}

extension FeedError {
    /// Returns the error with the page that it concerns.
    func about(_ page: FeedPage) -> FeedError { about("page \(page.number), \(page.url)") }
}

/// The pause between two requests that a feed (RSS `ttl` and `sy:updatePeriod`) and its server (`Cache-Control`) ask for.
enum UpdateInterval {
    private static let longest = Duration.seconds(24 * 60 * 60)

    /// Returns the longer one, up to a day.
    static func longest(of first: Duration?, _ second: Duration?) -> Duration? {
        [first, second].compactMap(\.self).max().map { min($0, longest) }
    }

    /// Returns the `max-age` of a response; nil if there is none.
    static func maxAge(in head: HTTPHead) -> Duration? {
        let directives = head[.cacheControl]?.lowercased().split(separator: ",") ?? []
        for directive in directives {
            let words = directive.split(separator: "=").map { $0.filter { $0 != " " && $0 != "\"" } }
            guard words.count == 2, words[0] == "max-age", let seconds = Int64(words[1]), seconds > 0 else { continue }
            return .seconds(min(seconds, longest.components.seconds))
        }
        return nil
    }
}

/// Use case: read a list of feeds from a file.
package struct SubscriptionListLoader: Sendable {
    private let client: any HTTPClient
    private let decoder: any FeedDecoding
    private let maxBytes: Int64

    package init(client: any HTTPClient, decoder: any FeedDecoding, maxBytes: Int64) {
        self.client = client
        self.decoder = decoder
        self.maxBytes = maxBytes
    }

    /// Loads the file at `path`, which messages call `name`.
    package func load(_ path: String, calledBy name: String) async throws(FeedError) -> SubscriptionList {
        let body = CollectedBytes()
        let url = ResourceURL(filePath: path)
        _ = try await client.get(HTTPRequest(url: url, maxBytes: maxBytes), into: body)
        guard !Task.isCancelled else { throw .cancelled }
        do {
            return try decoder.decodeSubscriptions(
                FeedSource(bytes: body.take(), url: url, mostImages: FeedSizeLimit(bytes: maxBytes).images))
        } catch {
            throw error.about(name)
        }
    }
}
