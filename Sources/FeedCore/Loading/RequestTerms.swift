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
    package var secrets: Secrets?
    package var addresses: AddressScope
    /// Which of the run's ways of loading images is the feed's.
    package var way: Int

    package init(secrets: Secrets? = nil, addresses: AddressScope = .publicOnly, way: Int = 0) {
        self.secrets = secrets
        self.addresses = addresses
        self.way = way
    }

    /// For an image that two feeds name: whatever one of them permits.
    package func widened(by other: RequestTerms, for image: ResourceURL) -> RequestTerms {
        guard self != other else { return self }
        let own = secrets?.origin == image.origin ? secrets : nil
        let isOthers = own == nil && other.secrets?.origin == image.origin
        return RequestTerms(
            secrets: own ?? other.secrets,
            addresses: addresses == .any || other.addresses == .any ? .any : .publicOnly,
            way: isOthers ? other.way : way)
    }
}

extension HTTPRequest {
    init(url: ResourceURL, validators: Validators = Validators(), maxBytes: Int64, on terms: RequestTerms) {
        self.init(url: url, validators: validators, maxBytes: maxBytes)
        secrets = terms.secrets
        addresses = terms.addresses
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
