/// Use case: load a feed from its server.
package struct RemoteFeedLoader: Sendable {
    package enum Answer: Hashable, Sendable {
        case feed(Feed, Validators)
        /// The feed that the validators came with is still the latest.
        case notModified(Validators)
    }

    private let client: any HTTPClient
    private let decoder: any FeedDecoding
    private let maxBytes: Int64

    package init(client: any HTTPClient, decoder: any FeedDecoding, maxBytes: Int64) {
        self.client = client
        self.decoder = decoder
        self.maxBytes = maxBytes
    }

    /// With validators the request is conditional, and may be answered with `notModified`.
    package func load(_ url: ResourceURL, validators: Validators = Validators()) async throws(FeedError) -> Answer {
        let body = CollectedBody()
        let request = HTTPRequest(url: url, validators: validators, maxBytes: maxBytes)
        let head = try await client.get(request, into: body).head
        guard !Task.isCancelled else { throw .cancelled }
        switch head.status {
        case HTTPStatus.ok:
            return .feed(try decoder.decode(body.bytes, from: url), head.validators)
        case HTTPStatus.notModified where !validators.isEmpty:
            return .notModified(head.validators.isEmpty ? validators : head.validators)
        default:
            throw HTTPStatus.failure(head.status, at: url)
        }
    }
}
