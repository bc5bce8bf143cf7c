/// The set of feeds that may see the data or a failure of an image URL.
package enum Circle: Hashable, Sendable {
    /// Every feed: obtained from a public address without secrets.
    case everybody
    /// Every feed that may reference the own network: obtained from it without secrets.
    case ownNetwork
    /// The feed for which it was obtained, and no other feed.
    case oneFeed
}

/// The feed for which image data is looked up.
package struct Viewer: Hashable, Sendable {
    package let feed: ResourceURL
    /// Whether the feed may see the own network's data; nil: as it is saved with the feed.
    package let seesOwnNetwork: Bool?

    package init(_ feed: ResourceURL, seesOwnNetwork: Bool? = nil) {
        self.feed = feed
        self.seesOwnNetwork = seesOwnNetwork
    }
}

/// An image that gets the data, or the failure, of a request. Several images can share one request.
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
