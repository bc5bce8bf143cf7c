/// The terms of a request: the secrets that may go along, the addresses that may be contacted, and the limits.
///
/// The images of a feed are requested on terms that come from the feed, because the feed references them:
///
/// | the feed comes from                              | its images may be at                            |
/// |--------------------------------------------------|-------------------------------------------------|
/// | a loopback, link-local, private or unique-local  | any address                                     |
/// | address, or a file                               |                                                 |
/// | another special address                          | public addresses, and the feed's own origin     |
/// | a public address                                 | public addresses, or any if private are allowed |
///
/// The secrets of a feed go along to images at its own origin, and to no other (see `HTTPRequest.secretsToSend`).
///
/// The terms are one object because a million images may share them.
package final class RequestTerms: Sendable {
    /// The feed that the requests are made for; nil for an image that a person requests by itself.
    package let feed: ResourceURL?
    package let secrets: Secrets?
    package let addresses: AddressScope
    /// The origin of a feed at a special address.
    ///
    /// The feed may reference it.
    private let specialOrigin: String?
    /// How the requests are made; nil: as in the rest of the run.
    let manner: RequestManner?
    /// Whether the feed has a proxy or certificate authorities of its own.
    let hasOwnRoute: Bool
    let imageLimits: ImageLimits

    package init(
        feed: ResourceURL? = nil, secrets: Secrets? = nil, addresses: AddressScope = .publicOnly,
        specialOrigin: String? = nil, manner: RequestManner? = nil, hasOwnRoute: Bool = false,
        imageLimits: ImageLimits = ImageLimits()
    ) {
        self.feed = feed
        self.secrets = secrets
        self.addresses = addresses
        self.specialOrigin = specialOrigin
        self.manner = manner
        self.hasOwnRoute = hasOwnRoute
        self.imageLimits = imageLimits
    }

    /// Returns the same terms with other addresses.
    func reaching(_ addresses: AddressScope, specialOrigin: String? = nil) -> RequestTerms {
        RequestTerms(
            feed: feed, secrets: secrets, addresses: addresses, specialOrigin: specialOrigin, manner: manner,
            hasOwnRoute: hasOwnRoute, imageLimits: imageLimits)
    }

    /// Returns the same terms without the right to reach private addresses.
    func reachingPublicOnly() -> RequestTerms { reaching(.publicOnly, specialOrigin: specialOrigin) }

    /// The addresses that a request for this URL may contact.
    func addresses(for url: ResourceURL) -> AddressScope {
        guard addresses == .publicOnly, let specialOrigin, specialOrigin == url.origin else { return addresses }
        return .any
    }

    /// Whether a request for this URL carries secrets.
    func sendsSecrets(to url: ResourceURL) -> Bool { url.credentials != nil || secrets?.origin == url.origin }

    /// Whether the origin of the URL is one to which other terms apply than to the rest of the web.
    func isSpecial(for url: ResourceURL) -> Bool {
        guard secrets != nil || specialOrigin != nil else { return false }
        let origin = url.origin
        return secrets?.origin == origin || specialOrigin == origin
    }

    /// Whether a request for this URL gets what any other feed on public addresses would get.
    func sharesFailures(of url: ResourceURL) -> Bool { !sendsSecrets(to: url) && !hasOwnRoute }

    /// The circle of data, or of a failure, that a request on these terms obtained.
    func circle(of circumstances: RequestCircumstances, at url: ResourceURL) -> Circle {
        if circumstances.usedSecrets || circumstances.isUnverified || hasOwnRoute { return .oneFeed }
        guard circumstances.touchedPrivateAddress || !url.isRemote else { return .everybody }
        return addresses == .any ? .ownNetwork : .oneFeed
    }
}

extension HTTPRequest {
    init(
        url: ResourceURL, validators: Validators, maxBytes: Int64, on terms: RequestTerms, mayBeCompressed: Bool = true
    ) {
        self.init(
            url: url, validators: validators, maxBytes: maxBytes, secrets: terms.secrets,
            addresses: terms.addresses(for: url), mayBeCompressed: mayBeCompressed, manner: terms.manner)
    }
}

/// The limits for the images of a feed.
package struct ImageLimits: Hashable, Sendable {
    /// The most bytes an image may have; nil: as in the rest of the run.
    let maxBytes: Int64?
    /// The smallest size of an image.
    let minSize: ImageSize?

    package init(maxBytes: Int64? = nil, minSize: ImageSize? = nil) {
        self.maxBytes = maxBytes
        self.minSize = minSize
    }
}

/// The source that names a feed.
///
/// Only the user decides which addresses are contacted and which secrets are sent.
///
/// | giver              | secrets                      | addresses                              |
/// |--------------------|------------------------------|----------------------------------------|
/// | `person`, `config` | `-H`, netrc, credentials     | any                                    |
/// | `list`             | credentials in the URL alone | public, or any if private are allowed  |
/// | `cache`            | credentials in the URL alone | public                                 |
package enum FeedGiver: Hashable, Sendable {
    /// The user, on the command line. The feed is named from then on.
    case person
    /// The user, in the config file. The feed is named as long as it is there.
    case config
    /// An OPML list.
    case list
    /// The cache. An archive brought the feed, or an earlier list.
    case cache

    /// Whether the user has named the feed.
    package var isUser: Bool { self == .person || self == .config }
}

extension FeedError {
    /// The failure of a feed that came from an archive and that the user has to name before it may be requested.
    static func unnamed(_ url: ResourceURL, _ reason: String) -> FeedError {
        var error = FeedError.connectivity("came with an archive or a list, and \(reason)", host: url.hostAndPort)
            .hinting("name it with `feedsync \(url)`")
        error.isWait = true
        error.needsName = true
        return error
    }
}

/// The headers and passwords that the user gave apart from URLs.
package struct OwnCredentials: Hashable, Sendable {
    /// Whole lines, as `Name: value`.
    package let headers: [String]
    package let usesNetrc: Bool

    package init(headers: [String] = [], usesNetrc: Bool = false) {
        self.headers = headers
        self.usesNetrc = usesNetrc
    }

    /// Returns the secrets for a URL that the user named: the user's and its own, for its origin only.
    package func secrets(for url: ResourceURL) -> Secrets? {
        guard url.isRemote, !headers.isEmpty || usesNetrc || url.credentials != nil else { return nil }
        return Secrets(origin: url.origin, headers: headers, credentials: url.credentials, usesNetrc: usesNetrc)
    }
}
