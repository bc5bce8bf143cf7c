package struct HTTPRequest: Hashable, Sendable {
    package var url: ResourceURL { didSet { origin = url.origin } }
    package private(set) var origin: String
    /// The most bytes the body may have, counted as they stream, after decompression.
    package var maxBytes: Int64
    package var addresses = AddressScope.any
    /// Whether the server is told that the body may come compressed. If it does without that, it is decompressed too.
    package var mayBeCompressed = true
    private var particulars = Particulars.none

    package init(url: ResourceURL, validators: Validators = Validators(), maxBytes: Int64) {
        self.url = url
        origin = url.origin
        self.maxBytes = maxBytes
        self.validators = validators
    }

    /// Those that may go where the request goes.
    package var secretsToSend: Secrets? { secrets?.origin == origin ? secrets : nil }
}

/// What most requests don't have. It lies apart, as a request is handed on many times.
extension HTTPRequest {
    private struct Fields: Hashable {
        var validators = Validators()
        var secrets: Secrets?
        var rest: RestOfBody?
        var manner: RequestManner?
    }

    private indirect enum Particulars: Hashable {
        case none
        case some(Fields)

        /// Asked before the fields are read or set: to put none of them together costs more than to see that there are
        /// none.
        var isNone: Bool { if case .none = self { true } else { false } }

        var fields: Fields {
            get { if case .some(let fields) = self { fields } else { Fields() } }
            set { self = newValue == Fields() ? .none : .some(newValue) }
        }
    }

    /// Makes the request conditional.
    package var validators: Validators {
        get { particulars.isNone ? Validators() : particulars.fields.validators }
        set { if !newValue.isEmpty || !particulars.isNone { particulars.fields.validators = newValue } }
    }

    /// What proves who asks; goes to its own origin alone, wherever the request is redirected to.
    package var secrets: Secrets? {
        get { particulars.isNone ? nil : particulars.fields.secrets }
        set { if newValue != nil || !particulars.isNone { particulars.fields.secrets = newValue } }
    }

    /// Asks for the rest of a body of which the first bytes are there.
    package var rest: RestOfBody? {
        get { particulars.isNone ? nil : particulars.fields.rest }
        set { if newValue != nil || !particulars.isNone { particulars.fields.rest = newValue } }
    }

    /// How this request is made, where that is not as in the rest of the run.
    package var manner: RequestManner? {
        get { particulars.isNone ? nil : particulars.fields.manner }
        set { if newValue != nil || !particulars.isNone { particulars.fields.manner = newValue } }
    }
}
