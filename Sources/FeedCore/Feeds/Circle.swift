/// The set of feeds that may see the data or a failure of an image URL.
package enum Circle: Hashable, Sendable {
    /// Every feed. The data was obtained from a public address without secrets.
    case everybody
    /// Every feed that may reference the own network. The data was obtained from this network without secrets.
    case ownNetwork
    /// Only the feed for which the data was obtained.
    case oneFeed
}

/// The feed for which image data is looked up.
package struct Viewer: Hashable, Sendable {
    package let feed: ResourceURL
    /// Whether the feed may see the own network's data; nil uses the value that is saved with the feed.
    package let seesOwnNetwork: Bool?

    package init(_ feed: ResourceURL, seesOwnNetwork: Bool? = nil) {
        self.feed = feed
        self.seesOwnNetwork = seesOwnNetwork
    }
}

/// An image that gets the data, or the failure, of a request.
///
/// Several images can share one request.
package struct Recipient: Hashable, Sendable {
    /// The `url` of the image.
    package let image: ResourceURL
    /// The feed of the image; nil for an image that was requested by itself.
    package let feed: ResourceURL?
    package let circle: Circle

    package init(image: ResourceURL, feed: ResourceURL? = nil, circle: Circle) {
        self.image = image
        self.feed = feed
        self.circle = circle
    }
}

/// What the requests behind a response or a failure touched: all requests of a chain of redirects, with all retries.
///
/// It decides the circle of the data or the failure.
package struct RequestCircumstances: Hashable, Sendable {
    /// Whether a request went to an address outside the public internet, which only some feeds may reference.
    ///
    /// Through a proxy, only a URL reveals that: its host is the literal of such an address, or a name of the local
    /// machine.
    package var touchedPrivateAddress = false
    /// Whether a request carried `-H` lines or credentials, or could take credentials from a netrc file.
    ///
    /// A netrc file counts even if it lacks an entry for the host, because the caller has to know the circle before the
    /// request.
    package var usedSecrets = false
    /// Whether an https request skipped the verification of the server's certificate.
    package var isUnverified = false

    package init() {}

    package func adding(_ other: RequestCircumstances) -> RequestCircumstances {
        var sum = self
        sum.touchedPrivateAddress = touchedPrivateAddress || other.touchedPrivateAddress
        sum.usedSecrets = usedSecrets || other.usedSecrets
        sum.isUnverified = isUnverified || other.isUnverified
        return sum
    }
}
