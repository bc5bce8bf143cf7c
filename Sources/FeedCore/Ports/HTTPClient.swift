/// Sends one request to one server. Redirects and retries are decided above it.
package protocol HTTPClient: AnyObject, Sendable {
    /// Sends a GET and passes the body to `sink` as it arrives. Returns after the sink has received all of it. A
    /// response with any status is a success.
    ///
    /// Throws `connectivity` when the response is incomplete (no connection, a timeout, fewer bytes than announced),
    /// `invalidData` when the body exceeds `maxBytes`, the error of the sink, and `cancelled` when the task is
    /// cancelled.
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse

    /// The end of the time for requests and for the handling of their responses; nil for unlimited time.
    var deadline: Deadline? { get }
}

extension HTTPClient {
    package var deadline: Deadline? { nil }
}

/// Receives a body. Calls come one after another, possibly from different threads, and may block.
package protocol BodySink: AnyObject, Sendable {
    /// Begins a body, which replaces any earlier one. Returns false if the sink declines the body.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// Receives a chunk. The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
}
