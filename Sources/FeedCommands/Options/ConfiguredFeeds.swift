package import FeedCore

/// A feed of the config file, and all settings as they are for it.
package struct FeedSettings: Hashable, Sendable {
    package let url: ResourceURL
    package let settings: Settings
}

/// Those of the config file, in its order, each once.
package struct ConfiguredFeeds: Hashable, Sendable {
    package private(set) var all: [FeedSettings] = []
    private var places: [ResourceURL.Key: Int] = [:]

    package init(_ feeds: [FeedSettings] = []) {
        all = feeds
        for feed in feeds { _ = places.number(of: feed.url.key) }
    }

    package subscript(_ feed: ResourceURL) -> FeedSettings? { places[feed.key].map { all[$0] } }
}
