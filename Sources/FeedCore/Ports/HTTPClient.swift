/// Asks one server one question. It follows no redirect and tries nothing twice: those are decisions, and live above it.
package protocol HTTPClient: AnyObject, Sendable {
    /// Sends a GET and feeds the body to `sink` as it comes; returns once the sink has had all of it.
    ///
    /// Throws `connectivity` when no whole answer came (no connection, a timeout, fewer bytes than announced),
    /// `invalidData` when the body outgrew `maxBytes`, what the sink threw, and `cancelled` when the task was.
    /// Whatever status a server answers with is an answer, no error.
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse

    /// Where tasks that make one request after another, and do little besides, are run best, in equal parts; none:
    /// anywhere.
    var executors: [any TaskExecutor] { get }
}

extension HTTPClient {
    package var executors: [any TaskExecutor] { [] }
}

/// What may be told to one origin, and to no other.
package struct Secrets: Hashable, Sendable {
    package let origin: String
    /// Whole lines, as `Name: value`.
    package let headers: [String]
    /// `user:password`, percent-encoded as in a URL. A URL's own come before them.
    package let credentials: String?
    /// Whether a netrc file is asked for more.
    package let usesNetrc: Bool

    package init(origin: String, headers: [String] = [], credentials: String? = nil, usesNetrc: Bool = false) {
        self.origin = origin
        self.headers = headers
        self.credentials = credentials
        self.usesNetrc = usesNetrc
    }
}

/// `Range` and `If-Range`: the server sends the rest with 206 if the body is still the same, else all of it with 200.
package struct RestOfBody: Hashable, Sendable {
    package let offset: Int64
    /// A strong entity tag.
    package let validator: String

    package init(offset: Int64, validator: String) {
        self.offset = offset
        self.validator = validator
    }
}

/// Which addresses may be connected to, checked on the address itself: names lie.
package enum AddressScope: Hashable, Sendable {
    case any
    case publicOnly
}

package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// Bytes of the body, as they were counted against `maxBytes`.
    package var bodyBytes: Int64
    /// The answer came, without a proxy between, from an address that is not public.
    package var isFromPrivateAddress = false
    /// Most answers have none.
    private var redirects: Boxed<Redirects>?

    private struct Redirects: Hashable {
        var target: String?
        var url: ResourceURL?
        var arePermanent = false
    }

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.bodyBytes = bodyBytes
        if let redirectTarget { redirects = Boxed(Redirects(target: redirectTarget)) }
    }

    /// Where a 3xx points, as an absolute URL, unchecked.
    package var redirectTarget: String? { redirects?.value.target }

    /// What answered after redirects; nil where there were none.
    package var redirectedURL: ResourceURL? { redirects?.value.url }

    /// Each of these redirects was for good.
    package var isMovedPermanently: Bool { redirects?.value.arePermanent ?? false }

    package mutating func wasRedirected(to url: ResourceURL, permanently: Bool) {
        redirects = Boxed(Redirects(target: redirectTarget, url: url, arePermanent: permanently))
    }
}

/// Where a body goes. Calls come one after another, though not always from the same thread, and may block.
package protocol BodySink: AnyObject, Sendable {
    /// A body is about to come; what came before, if anything, is void. False: it isn't wanted and is not delivered.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
    /// Runs `sleep`, for which the request waits for its next try, and is not in flight.
    func pausing(_ sleep: () async throws -> Void) async throws
}

extension BodySink {
    package func pausing(_ sleep: () async throws -> Void) async throws { try await sleep() }
}

/// How the requests for one feed are made. What transfers share, the limits on connections and on the rate, is the
/// client's affair.
package struct RequestManner: Hashable, Sendable {
    package var network: NetworkSettings
    /// Further tries after the first.
    package var retries: Int
    package var maxRedirects: Int
    package var allowsPrivate: Bool

    package init(network: NetworkSettings, retries: Int, maxRedirects: Int, allowsPrivate: Bool) {
        self.network = network
        self.retries = retries
        self.maxRedirects = maxRedirects
        self.allowsPrivate = allowsPrivate
    }
}

/// How to reach servers, for a whole run.
package struct NetworkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// With no byte arriving for this long, a transfer has failed.
    package var idleTimeout = Duration.seconds(30)
    package var maxConnectionsPerHost = 6
    /// The most under way at the same time, as far as is known beforehand.
    package var requestsAtOnce = 1
    /// Whether servers are asked without TLS, as far as is known beforehand.
    package var isPlain = false
    package var userAgent: String
    /// A PEM file of the certificate authorities to trust instead of the system's.
    package var caFile: String?
    /// Take any certificate.
    package var isInsecure = false
    /// As `--proxy` gave it; "" for none at all; nil: as the environment's proxy variables say.
    package var proxy: String?
    /// The netrc file to take credentials from where a request may use one; nil: `~/.netrc`.
    package var netrcFile: String?
    /// Bytes a second of bodies as they come over the wire, over all transfers.
    package var rateLimit: Int64?

    package init(userAgent: String) { self.userAgent = userAgent }

    /// What decides whether a connection comes about, besides the host.
    package struct Route: Hashable, Sendable {
        let caFile: String?
        let isInsecure: Bool
        let proxy: String?
    }

    package var route: Route { Route(caFile: caFile, isInsecure: isInsecure, proxy: proxy) }
}
