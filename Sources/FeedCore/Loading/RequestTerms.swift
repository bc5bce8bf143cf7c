/// On what terms a server is asked: what may be told to it, and at which addresses.
///
/// A feed's images have theirs from the feed, since it is the feed that names them:
///
/// | the feed comes from        | its images may be at                              |
/// |----------------------------|---------------------------------------------------|
/// | a public address           | public addresses, or any if private are allowed   |
/// | a private address, a file  | any                                               |
///
/// The feed's secrets go along for images at its own origin, and to no other (see `HTTPRequest.secretsToSend`).
package struct RequestTerms: Hashable, Sendable {
    private let boxedSecrets: Boxed<Secrets>?
    package let addresses: AddressScope
    /// Which of the run's ways of loading images is the feed's.
    package let way: Int

    package var secrets: Secrets? { boxedSecrets?.value }

    package init(secrets: Secrets? = nil, addresses: AddressScope = .publicOnly, way: Int = 0) {
        boxedSecrets = secrets.map(Boxed.init)
        self.addresses = addresses
        self.way = way
    }

    /// Whether there are any for the image's own server: they go to no other.
    func hasSecrets(for image: ResourceURL) -> Bool { boxedSecrets.map { $0.value.origin == image.origin } ?? false }

    /// What of them is of any account for this image, unless it redirects.
    func asFar(asOf image: ResourceURL) -> RequestTerms {
        guard boxedSecrets != nil, !hasSecrets(for: image) else { return self }
        return RequestTerms(addresses: addresses, way: way)
    }

    /// For a URL with a user name and password in it, which are its own server's.
    func withCredentials(of url: ResourceURL) -> RequestTerms {
        guard let credentials = url.credentials else { return self }
        let own = hasSecrets(for: url) ? secrets : nil
        let secrets = Secrets(
            origin: url.origin, headers: own?.headers ?? [], credentials: credentials,
            usesNetrc: own?.usesNetrc ?? false)
        return RequestTerms(secrets: secrets, addresses: addresses, way: way)
    }

    /// For an image that several feeds name: on which to ask for it, one after the other until it is had. Any address
    /// will do that is good for one of them; and secrets for the image's own server are best.
    package static func alternatives(_ feeds: [RequestTerms], for image: ResourceURL) -> [RequestTerms] {
        let addresses: AddressScope = feeds.contains { $0.addresses == .any } ? .any : .publicOnly
        var alternatives: [RequestTerms] = []
        for hasSecrets in [true, false] {
            for terms in feeds where terms.hasSecrets(for: image) == hasSecrets {
                let isKnown = alternatives.contains {
                    $0.way == terms.way && (!hasSecrets || $0.secrets == terms.secrets)
                }
                if !isKnown {
                    alternatives.append(RequestTerms(secrets: terms.secrets, addresses: addresses, way: terms.way))
                }
            }
        }
        return alternatives
    }
}

extension HTTPRequest {
    init(
        url: ResourceURL, validators: Validators, maxBytes: Int64, on terms: RequestTerms, in manner: RequestManner?,
        mayBeCompressed: Bool = true
    ) {
        self.init(
            url: url, validators: validators, maxBytes: maxBytes, secrets: terms.secrets, addresses: terms.addresses,
            mayBeCompressed: mayBeCompressed, manner: manner)
    }
}

/// What a person gave to prove who asks, besides what stands in a URL.
package struct Identity: Hashable, Sendable {
    /// Whole lines, as `Name: value`.
    package let headers: [String]
    package let usesNetrc: Bool

    package init(headers: [String] = [], usesNetrc: Bool = false) {
        self.headers = headers
        self.usesNetrc = usesNetrc
    }

    /// For a URL that the person named: theirs and its own, for its origin alone.
    package func secrets(for url: ResourceURL) -> Secrets? {
        guard url.isRemote, !headers.isEmpty || usesNetrc || url.credentials != nil else { return nil }
        return Secrets(origin: url.origin, headers: headers, credentials: url.credentials, usesNetrc: usesNetrc)
    }
}
