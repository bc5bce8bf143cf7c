import FeedCore

/// Feeds in the order in which they were named, each once. One that is named twice is asked with the user name and
/// password that either has.
struct DistinctFeeds {
    private(set) var urls: [ResourceURL] = []
    private var places: [ResourceURL.Key: Int] = [:]

    /// Where it stands.
    mutating func add(_ url: ResourceURL) -> Int {
        let place = places.number(of: url.key)
        if place == urls.count {
            urls.append(url)
        } else if urls[place].credentials == nil {
            urls[place] = url
        }
        return place
    }
}
