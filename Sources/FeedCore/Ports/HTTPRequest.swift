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
    /// Whether the request allows the server to compress the body. A compressed body is always decompressed.
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

/// The addresses that a request may connect to. The address itself is checked, because a name can lead anywhere.
package enum AddressScope: Hashable, Sendable {
    case any
    case publicOnly
}

/// The headers and credentials for a single origin.
package struct Secrets: Hashable, Sendable {
    package let origin: String
    /// Whole header lines, such as `Name: value`.
    package let headers: [String]
    /// `user:password`, percent-encoded as in a URL. The credentials of a URL override them.
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
