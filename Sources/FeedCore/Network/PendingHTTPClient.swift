import Synchronization

/// A client in the making: requests wait until it is made, and fail as its making failed.
package final class PendingHTTPClient: HTTPClient {
    private let making: Task<Result<any HTTPClient, FeedError>, Never>
    private let made: Made

    /// Begins to make it, beside whatever else goes on.
    package init(_ make: @escaping @Sendable () throws(FeedError) -> any HTTPClient) {
        let made = Made()
        self.made = made
        making = Task {
            Result { () throws(FeedError) in
                let client = try make()
                made.client.withLock { $0 = client }
                return client
            }
        }
    }

    /// None while it isn't there.
    package var executors: [any TaskExecutor] { made.client.withLock { $0 }?.executors ?? [] }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        // To ask the task each time takes longer.
        if let client = made.client.withLock({ $0 }) { return try await client.get(request, into: sink) }
        return try await client().get(request, into: sink)
    }

    /// Throws why it could not be made.
    package func client() async throws(FeedError) -> any HTTPClient { try await making.value.get() }

    private final class Made: Sendable {
        let client = Mutex<(any HTTPClient)?>(nil)
    }
}
