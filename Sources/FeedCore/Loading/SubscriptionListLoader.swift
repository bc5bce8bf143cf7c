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
