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

    /// What of them is of any account for this image, unless it redirects.
    func asFar(asOf image: ResourceURL) -> RequestTerms {
        guard boxedSecrets != nil, !hasSecrets(for: image) else { return self }
        var terms = self
        terms.boxedSecrets = nil
        return terms
    }

    /// For a URL with a user name and password in it, which are its own server's.
    func withCredentials(of url: ResourceURL) -> RequestTerms {
        guard let credentials = url.credentials else { return self }
        let own = hasSecrets(for: url) ? secrets : nil
        var terms = self
        terms.boxedSecrets = Boxed(
            Secrets(
                origin: url.origin, headers: own?.headers ?? [], credentials: credentials,
                usesNetrc: own?.usesNetrc ?? false))
        return terms
    }

    /// Whether an image is asked for alike on both, apart from who asks, and where.
    func asksLike(_ other: RequestTerms) -> Bool { maxImageBytes == other.maxImageBytes && hasManner(of: other) }

    func hasManner(of other: RequestTerms) -> Bool { manner == other.manner }

    /// For an image that several feeds name: on which to ask for it, one after the other until it is had. Any address
    /// will do that is good for one of them; and secrets for the image's own server are best.
    package static func alternatives(_ feeds: [RequestTerms], for image: ResourceURL) -> [RequestTerms] {
        let addresses: AddressScope = feeds.contains { $0.addresses == .any } ? .any : .publicOnly
        var alternatives: [RequestTerms] = []
        for hasSecrets in [true, false] {
            for terms in feeds where terms.hasSecrets(for: image) == hasSecrets {
                let isKnown = alternatives.contains {
                    $0.asksLike(terms) && (!hasSecrets || $0.secrets == terms.secrets)
                }
                if !isKnown { alternatives.append(terms.reaching(addresses)) }
            }
        }
        return alternatives
    }
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
