/// Use case: load a feed from its server.
package struct RemoteFeedLoader: Sendable {
    package struct Answer: Hashable, Sendable {
        package enum Content: Hashable, Sendable {
            case feed(Feed, Validators)
            /// The feed that the validators came with is still the latest.
            case notModified(Validators)
        }

        package let content: Content
        /// On which the feed's images may be asked for.
        package let imageTerms: RequestTerms
    }

    private let client: any HTTPClient
    private let decoder: any FeedDecoding
    private let maxBytes: Int64
    private let identity: Identity
    private let allowsPrivate: Bool
    private let manner: RequestManner?
    private let imageWay: Int

    package init(
        client: any HTTPClient, decoder: any FeedDecoding, maxBytes: Int64, identity: Identity = Identity(),
        allowsPrivate: Bool = false, manner: RequestManner? = nil, imageWay: Int = 0
    ) {
        self.client = client
        self.decoder = decoder
        self.maxBytes = maxBytes
        self.identity = identity
        self.allowsPrivate = allowsPrivate
        self.manner = manner
        self.imageWay = imageWay
    }

    /// With validators the request is conditional, and may be answered with `notModified`.
    package func load(_ url: ResourceURL, validators: Validators = Validators()) async throws(FeedError) -> Answer {
        let body = CollectedBytes()
        // A person named this URL, wherever it leads.
        let terms = RequestTerms(secrets: identity.secrets(for: url), addresses: .any)
        var request = HTTPRequest(url: url, validators: validators, maxBytes: maxBytes, on: terms)
        request.manner = manner
        let response = try await client.get(request, into: body)
        let head = response.head
        guard !Task.isCancelled else { throw .cancelled }
        switch head.status {
        case HTTPStatus.ok:
            let feed = try decoder.decode(body.bytes, from: url)
            return Answer(content: .feed(feed, head.validators), imageTerms: imageTerms(url, terms, response))
        case HTTPStatus.notModified where !validators.isEmpty:
            let latest = head.validators.isEmpty ? validators : head.validators
            return Answer(content: .notModified(latest), imageTerms: imageTerms(url, terms, response))
        default:
            throw HTTPStatus.failure(head.status, at: url)
        }
    }

    private func imageTerms(_ url: ResourceURL, _ terms: RequestTerms, _ response: HTTPResponse) -> RequestTerms {
        let reachesAny = !url.isRemote || response.isFromPrivateAddress || allowsPrivate
        return RequestTerms(
            secrets: terms.secrets, addresses: reachesAny ? .any : .publicOnly, way: imageWay)
    }
}
