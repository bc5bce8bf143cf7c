package struct HTTPRequest: Hashable, Sendable {
    private struct Fields: Hashable {
        var url: ResourceURL
        var origin: String
        var maxBytes: Int64
        var validators: Validators
        var secrets: Secrets?
        var addresses: AddressScope
        var mayBeCompressed: Bool
        var rest: RestOfBody?
        /// Apart, as it is large, and most requests have none.
        var manner: Boxed<RequestManner>?
    }

    private var boxed: Boxed<Fields>

    package init(
        url: ResourceURL, validators: Validators = Validators(), maxBytes: Int64, secrets: Secrets? = nil,
        addresses: AddressScope = .any, mayBeCompressed: Bool = true, manner: Boxed<RequestManner>? = nil
    ) {
        boxed = Boxed(
            Fields(
                url: url, origin: url.origin, maxBytes: maxBytes, validators: validators, secrets: secrets,
                addresses: addresses, mayBeCompressed: mayBeCompressed, manner: manner))
    }

    private mutating func change(_ work: (inout Fields) -> Void) {
        var fields = boxed.value
        work(&fields)
        boxed = Boxed(fields)
    }

    package var url: ResourceURL {
        get { boxed.value.url }
        set {
            change { fields in
                fields.url = newValue
                fields.origin = newValue.origin
            }
        }
    }

    /// Of its URL.
    package var origin: String { boxed.value.origin }

    /// The most bytes the body may have, counted as they stream, after decompression.
    package var maxBytes: Int64 { boxed.value.maxBytes }

    /// Makes the request conditional.
    package var validators: Validators {
        get { boxed.value.validators }
        set { change { $0.validators = newValue } }
    }

    /// What proves who asks; goes to its own origin alone, wherever the request is redirected to.
    package var secrets: Secrets? {
        get { boxed.value.secrets }
        set { change { $0.secrets = newValue } }
    }

    /// Those that may go where the request goes.
    package var secretsToSend: Secrets? { secrets?.origin == origin ? secrets : nil }

    /// Whether anything goes along that proves who asks.
    var hasSecretsToSend: Bool { secretsToSend != nil || url.credentials != nil }

    package var addresses: AddressScope {
        get { boxed.value.addresses }
        set { change { $0.addresses = newValue } }
    }

    /// Whether the server is told that the body may come compressed. If it does without that, it is decompressed too.
    package var mayBeCompressed: Bool {
        get { boxed.value.mayBeCompressed }
        set { change { $0.mayBeCompressed = newValue } }
    }

    /// Asks for the rest of a body of which the first bytes are there.
    package var rest: RestOfBody? {
        get { boxed.value.rest }
        set { change { $0.rest = newValue } }
    }

    /// How this request is made, where that is not as in the rest of the run.
    package var manner: RequestManner? {
        get { boxed.value.manner?.value }
        set { change { $0.manner = newValue.map(Boxed.init) } }
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
