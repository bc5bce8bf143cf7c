import FeedCore

/// A feed of the config file, and all settings as they are for it.
struct FeedSettings: Hashable, Sendable {
    let url: ResourceURL
    let settings: Settings
}

/// Those of the config file, in its order, each once.
struct ConfiguredFeeds: Hashable, Sendable {
    private(set) var all: [FeedSettings] = []
    private var places: [ResourceURL.Key: Int] = [:]

    init(_ feeds: [FeedSettings] = []) {
        all = feeds
        for feed in feeds { _ = places.number(of: feed.url.key) }
    }

    subscript(_ feed: ResourceURL) -> FeedSettings? { places[feed.key].map { all[$0] } }
}
