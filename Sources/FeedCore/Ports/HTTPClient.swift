/// Asks one server one question. It follows no redirect and tries nothing twice: those are decisions, and live above it.
package protocol HTTPClient: Sendable {
    /// Sends a GET and feeds the body to `sink` as it comes; returns once the sink has had all of it.
    ///
    /// Throws `connectivity` when no whole answer came (no connection, a timeout, fewer bytes than announced),
    /// `invalidData` when the body outgrew `maxBytes`, what the sink threw, and `cancelled` when the task was.
    /// Whatever status a server answers with is an answer, no error.
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse
}

package struct HTTPRequest: Hashable, Sendable {
    package let url: ResourceURL
    /// Makes the request conditional.
    package let validators: Validators
    /// The most bytes the body may have, counted as they stream, after decompression.
    package let maxBytes: Int64

    package init(url: ResourceURL, validators: Validators = Validators(), maxBytes: Int64) {
        self.url = url
        self.validators = validators
        self.maxBytes = maxBytes
    }

    package func redirected(to target: ResourceURL) -> HTTPRequest {
        HTTPRequest(url: target, validators: validators, maxBytes: maxBytes)
    }
}

/// What precedes a body: all that the domain asks of an answer's headers.
package struct HTTPHead: Hashable, Sendable {
    package let status: Int
    package let validators: Validators
    package let contentType: String?

    package init(status: Int, validators: Validators = Validators(), contentType: String? = nil) {
        self.status = status
        self.validators = validators
        self.contentType = contentType
    }
}

package struct HTTPResponse: Hashable, Sendable {
    package let head: HTTPHead
    /// Where a 3xx points, as an absolute URL, unchecked.
    package let redirectTarget: String?
    /// Bytes of the body, as they were counted against `maxBytes`.
    package let bodyBytes: Int64

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.redirectTarget = redirectTarget
        self.bodyBytes = bodyBytes
    }
}

/// Where a body goes. Calls come one after another, though not always from the same thread, and may block.
package protocol BodySink: Sendable {
    /// A body is about to come; what came before, if anything, is void. False: it isn't wanted and is not delivered.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
}

/// How to reach servers, for a whole run.
package struct NetworkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// With no byte arriving for this long, a transfer has failed.
    package var idleTimeout = Duration.seconds(30)
    package var maxConnectionsPerHost = 6
    package var userAgent: String
    /// A PEM file of the certificate authorities to trust instead of the system's.
    package var caFile: String?

    package init(userAgent: String) { self.userAgent = userAgent }
}
