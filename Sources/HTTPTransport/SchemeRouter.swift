package import FeedCore

/// Sends each request to the client that is for its kind of URL.
package final class SchemeRouter: HTTPClient {
    private let remote: any HTTPClient
    private let files: any HTTPClient

    package init(remote: any HTTPClient, files: any HTTPClient) {
        self.remote = remote
        self.files = files
    }

    package var executors: [any TaskExecutor] { remote.executors }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        try await (request.url.isRemote ? remote : files).get(request, into: sink)
    }
}
