/// Asks one server one question. It follows no redirect and tries nothing twice: those are decisions, and live above it.
package protocol HTTPClient: AnyObject, Sendable {
    /// Sends a GET and feeds the body to `sink` as it comes; returns once the sink has had all of it.
    ///
    /// Throws `connectivity` when no whole answer came (no connection, a timeout, fewer bytes than announced),
    /// `invalidData` when the body outgrew `maxBytes`, what the sink threw, and `cancelled` when the task was.
    /// Whatever status a server answers with is an answer, no error.
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse

    /// The end of what it asks servers for, and of what is done about their answers; nil: there is none.
    var deadline: Deadline? { get }
}

extension HTTPClient {
    package var deadline: Deadline? { nil }
}
