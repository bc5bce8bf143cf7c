/// Sends one request to one server.
///
/// Redirects and retries are decided above it.
package protocol HTTPClient: AnyObject, Sendable {
    /// Sends a GET and passes the body to `sink` as it arrives. Returns after the sink has received all of it. A
    /// response with any status is a success.
    ///
    /// Throws `connectivity` when the response is incomplete (no connection, a timeout, fewer bytes than announced),
    /// `invalidData` when the body exceeds `maxBytes`, the error of the sink, and `cancelled` when the task is
    /// cancelled.
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse

    /// The threads on which the tasks of many requests should run, because sinks may block; nil for any thread.
    var executor: (any TaskExecutor)? { get }

    /// The end of the time for requests and for the handling of their responses; nil for unlimited time.
    var deadline: Deadline? { get }
}

extension HTTPClient {
    package var executor: (any TaskExecutor)? { nil }
    package var deadline: Deadline? { nil }
}

/// Receives a body.
///
/// Calls come one after another, possibly from different threads, and may block.
package protocol BodySink: AnyObject, Sendable {
    /// Begins a body, which replaces any earlier one. Returns false if the sink declines the body.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// Receives a chunk. The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
}

/// A GET request.
package struct HTTPRequest: Hashable, Sendable {
    package var url: ResourceURL { didSet { origin = url.origin } }
    /// The origin of `url`.
    package private(set) var origin: String
    /// The largest size of the body, counted as it arrives, after decompression.
    package let maxBytes: Int64
    /// The validators that make the request conditional.
    package var validators: Validators
    /// The secrets, which are sent only to their own origin, even after redirects.
    package var secrets: Secrets?
    package var addresses: AddressScope
    /// Whether the request allows the server to compress the body.
    ///
    /// A compressed body is always decompressed.
    package var mayBeCompressed: Bool
    /// Requests the rest of a body that has begun.
    package var rest: RestOfBody?
    /// The end of the pause that the server asked for in an earlier run.
    package var notBefore: Timestamp?
    /// The settings of this request, if they differ from the rest of the run.
    package var manner: RequestManner?

    /// Whether the request opens a new connection, because the existing one may be dead.
    package var connectsAnew = false

    package init(
        url: ResourceURL, validators: Validators = Validators(), maxBytes: Int64, secrets: Secrets? = nil,
        addresses: AddressScope = .any, mayBeCompressed: Bool = true, manner: RequestManner? = nil
    ) {
        self.url = url
        origin = url.origin
        self.maxBytes = maxBytes
        self.validators = validators
        self.secrets = secrets
        self.addresses = addresses
        self.mayBeCompressed = mayBeCompressed
        self.manner = manner
    }

    /// The secrets that belong to the request's current origin.
    package var secretsToSend: Secrets? { secrets?.origin == origin ? secrets : nil }

    /// Whether the request carries secrets or the credentials of its URL.
    var hasSecretsToSend: Bool { secretsToSend != nil || url.credentials != nil }
}

/// The addresses that a request may connect to.
///
/// The address itself is checked, because a name can lead anywhere.
package enum AddressScope: Hashable, Sendable {
    case any
    case publicOnly
}

/// The headers and credentials for a single origin.
package struct Secrets: Hashable, Sendable {
    package let origin: String
    /// Whole header lines, such as `Name: value`.
    package let headers: [String]
    /// `user:password`, percent-encoded as in a URL.
    ///
    /// The credentials of a URL override them.
    package let credentials: String?
    /// Whether credentials may come from a netrc file as well.
    package let usesNetrc: Bool

    package init(origin: String, headers: [String] = [], credentials: String? = nil, usesNetrc: Bool = false) {
        self.origin = origin
        self.headers = headers
        self.credentials = credentials
        self.usesNetrc = usesNetrc
    }
}

/// `Range` and `If-Range`: the server sends the rest with 206 if the body is unchanged, otherwise the whole body with
/// 200.
package struct RestOfBody: Hashable, Sendable {
    package let offset: Int64
    /// A strong entity tag.
    package let validator: String

    package init(offset: Int64, validator: String) {
        self.offset = offset
        self.validator = validator
    }
}

/// The response to a request, after its redirects.
///
/// The body has gone to the sink.
package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// The size of the body, as it was counted against `maxBytes`.
    package var bodyBytes: Int64
    /// Whether the response came from an address of the user's own network, as far as that is known behind a proxy.
    package var isFromPrivateAddress = false
    /// Whether the response came from another address outside the public internet, which gives a feed no right to
    /// private addresses.
    package var isFromSpecialAddress = false
    /// The absolute URL that a 3xx names.
    ///
    /// It is unchecked.
    package let redirectTarget: String?
    /// The URL that responded after redirects; nil without redirects.
    package private(set) var redirectedURL: ResourceURL?
    /// The target of the leading 301 and 308 redirects; nil where the first redirect is of another kind.
    package private(set) var movedTo: ResourceURL?
    /// Whether the request started with secrets, and dropped them on its way.
    package private(set) var hasDroppedSecrets = false
    /// The proxy that sent this response itself because it asks for credentials.
    ///
    /// The name is without credentials.
    package var askingProxy: String?

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.redirectTarget = redirectTarget
        self.bodyBytes = bodyBytes
    }

    mutating func setRedirect(to url: ResourceURL, movedTo newURL: ResourceURL?, droppingSecrets: Bool) {
        redirectedURL = url
        movedTo = newURL
        hasDroppedSecrets = droppingSecrets
    }
}

/// The status and the headers of a response.
///
/// A head is copied often and read rarely. All headers are therefore in one array, so that a copy costs as much as the
/// copy of one string.
package struct HTTPHead: Hashable, Sendable {
    package enum Header: Int, CaseIterable, Sendable {
        case cacheControl, contentLength, contentRange, contentType, etag, lastModified, link
    }

    private static let emptyHeaders = [String?](repeating: nil, count: Header.allCases.count)

    package var status: Int
    /// Whether the body is decoded on arrival, so that its bytes and offsets differ from the server's.
    package var isContentEncoded = false
    /// Whether the connection carries many requests at once.
    package var isMultiplexed = false
    /// The pause that the server asks for.
    package var retryAfter: Duration?
    /// The values of the headers, by the raw value of `Header`.
    private var headers = Self.emptyHeaders

    package init(status: Int) { self.status = status }

    /// The value of a header as the response has it.
    ///
    /// The length is kept only where a rest may be requested. Repeated headers are joined into one list.
    package subscript(header: Header) -> String? {
        get { headers[header.rawValue] }
        set { if newValue != nil || headers[header.rawValue] != nil { headers[header.rawValue] = newValue } }
    }

    /// The strong entity tag, which allows parts of two responses to be joined (RFC 9110, section 15.3.7.3).
    var strongTag: String? { self[.etag].flatMap { $0.isStrongTag ? $0 : nil } }

    package var validators: Validators { Validators(etag: self[.etag], lastModified: self[.lastModified]) }

    /// Whether the body consists of several ranges, each with its own headers.
    var isMultipart: Bool { self[.contentType]?.lowercased().utf8.starts(with: "multipart/".utf8) == true }
}

/// The settings for reaching servers.
package struct NetworkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// A transfer fails after this time without a byte.
    package var idleTimeout = Duration.seconds(30)
    package var maxConnectionsPerHost = Self.connectionsPerHost
    /// The number of open connections, in use or kept for later requests.
    package var maxConnections = 64
    package var userAgent: String
    /// A PEM file of the certificate authorities that replace the system's.
    package var caFile: String?
    /// Whether every certificate is accepted.
    package var isInsecure = false
    /// The proxy from `--proxy`.
    ///
    /// An empty string disables proxies; nil leaves the choice to the environment variables.
    package var proxy: String?
    /// The netrc file for requests that may use one; nil for `~/.netrc`.
    package var netrcFile: String?
    /// The limit in body bytes per second, as they are on the wire, over all transfers.
    package var rateLimit: Int64?

    /// The number of connections that browsers open to one host.
    package static let connectionsPerHost = 6

    package init(userAgent: String) { self.userAgent = userAgent }

    /// The settings that decide, together with the host, whether a connection succeeds.
    package struct Route: Hashable, Sendable {
        let caFile: String?
        let isInsecure: Bool
        let proxy: String?
    }

    package var route: Route { Route(caFile: caFile, isInsecure: isInsecure, proxy: proxy) }
}

/// The settings for the requests of one feed.
///
/// The limits on connections and on the rate hold for all transfers together, and are settings of the client.
package struct RequestManner: Hashable, Sendable {
    package var network: NetworkSettings
    /// The number of attempts after the first.
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
