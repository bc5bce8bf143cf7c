package struct HTTPRequest: Hashable, Sendable {
    package var url: ResourceURL { didSet { origin = url.origin } }
    /// Of its URL.
    package private(set) var origin: String
    /// The most bytes the body may have, counted as they stream, after decompression.
    package let maxBytes: Int64
    /// Makes the request conditional.
    package var validators: Validators
    /// What proves who asks; goes to its own origin alone, wherever the request is redirected to.
    package var secrets: Secrets?
    package var addresses: AddressScope
    /// Whether the server is told that the body may come compressed. If it does without that, it is decompressed too.
    package var mayBeCompressed: Bool
    /// Asks for the rest of a body of which the first bytes are there.
    package var rest: RestOfBody?
    /// The moment before which the server asked not to be requested.
    package var notBefore: Timestamp?
    /// How this request is made, where that is not as in the rest of the run.
    package var manner: RequestManner?

    /// The request opens a new connection, because the existing one may be dead.
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

    /// Those that may go where the request goes.
    package var secretsToSend: Secrets? { secrets?.origin == origin ? secrets : nil }

    /// Whether anything goes along that proves who asks.
    var hasSecretsToSend: Bool { secretsToSend != nil || url.credentials != nil }
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
