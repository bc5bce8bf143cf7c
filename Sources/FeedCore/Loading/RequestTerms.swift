/// On what terms a server is asked: what may be told to it, at which addresses, and in which manner.
///
/// A feed's images have theirs from the feed, since it is the feed that names them:
///
/// | the feed comes from                              | its images may be at                            |
/// |--------------------------------------------------|-------------------------------------------------|
/// | a loopback, link-local, private or unique-local  | any                                             |
/// | address, a file                                  |                                                 |
/// | any other address                                | public addresses, or any if private are allowed |
///
/// The feed's secrets go along for images at its own origin, and to no other (see `HTTPRequest.secretsToSend`).
package struct RequestTerms: Hashable, Sendable {
    private var boxedSecrets: Boxed<Secrets>?
    /// As the feed has it, where that is not as in the rest of the run. All of its images share it.
    fileprivate let manner: Boxed<RequestManner>?
    /// The most bytes an image may have; nil: as in the rest of the run.
    let maxImageBytes: Int64?
    package private(set) var addresses: AddressScope

    package var secrets: Secrets? { boxedSecrets?.value }

    package init(
        secrets: Secrets? = nil, addresses: AddressScope = .publicOnly, manner: RequestManner? = nil,
        maxImageBytes: Int64? = nil
    ) {
        boxedSecrets = secrets.map(Boxed.init)
        self.manner = manner.map(Boxed.init)
        self.maxImageBytes = maxImageBytes
        self.addresses = addresses
    }

    func reaching(_ addresses: AddressScope) -> RequestTerms {
        var terms = self
        terms.addresses = addresses
        return terms
    }

    /// Whether there are any for the image's own server: they go to no other.
    func hasSecrets(for image: ResourceURL) -> Bool { boxedSecrets.map { $0.value.origin == image.origin } ?? false }
}

extension HTTPRequest {
    init(
        url: ResourceURL, validators: Validators, maxBytes: Int64, on terms: RequestTerms, mayBeCompressed: Bool = true
    ) {
        self.init(
            url: url, validators: validators, maxBytes: maxBytes, secrets: terms.secrets, addresses: terms.addresses,
            mayBeCompressed: mayBeCompressed, manner: terms.manner)
    }
}
