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
/// An image that a page at a public address names, and a kept image, have a right of their own (`FeedImage.isPublicOnly`).
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
    /// Whether the user allows private addresses to every feed.
    let allowsPrivate: Bool
    let imageLimits: ImageLimits

    package init(
        feed: ResourceURL? = nil, secrets: Secrets? = nil, addresses: AddressScope = .publicOnly,
        specialOrigin: String? = nil, manner: RequestManner? = nil, allowsPrivate: Bool = false,
        imageLimits: ImageLimits = ImageLimits()
    ) {
        self.feed = feed
        self.secrets = secrets
        self.addresses = addresses
        self.specialOrigin = specialOrigin
        self.manner = manner
        self.allowsPrivate = allowsPrivate
        self.imageLimits = imageLimits
    }

    /// Returns the same terms with other addresses.
    func reaching(_ addresses: AddressScope, specialOrigin: String? = nil) -> RequestTerms {
        RequestTerms(
            feed: feed, secrets: secrets, addresses: addresses, specialOrigin: specialOrigin, manner: manner,
            allowsPrivate: allowsPrivate, imageLimits: imageLimits)
    }

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

}

/// The terms for the images of one feed: those that have the feed's right to private addresses, and the others.
struct ImageTerms: Sendable {
    let terms: RequestTerms
    private let publicOnly: RequestTerms
    private let any: RequestTerms

    init(_ terms: RequestTerms) {
        self.terms = terms
        publicOnly = terms.addresses == .publicOnly ? terms : terms.reaching(.publicOnly)
        any = terms.addresses == .any ? terms : terms.reaching(.any)
    }

    /// Returns the terms for an image.
    ///
    /// The right of a kept image was decided while it was in the feed.
    func of(_ image: FeedImage) -> RequestTerms {
        if terms.allowsPrivate { return terms }
        if image.isPublicOnly { return publicOnly }
        return image.lastSeen == nil ? terms : any
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
package enum FeedGiver: Hashable, Sendable {
    /// The user, on the command line. The feed is named from then on.
    case person
    /// The user, in the config file. The feed is named as long as it is there.
    case config
    /// An OPML list.
    case list

    /// Whether the user has named the feed.
    package var isUser: Bool { self != .list }

    /// How a feed is named that this giver asks for.
    var naming: FeedNaming {
        switch self {
        case .person: .byCommand
        case .config: .byConfig
        case .list: .unnamed
        }
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
