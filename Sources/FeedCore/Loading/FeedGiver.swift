/// Who wants a feed to be requested. Only the user decides where feedsync may go and what it may tell there.
///
/// | giver              | secrets                      | addresses                              |
/// |--------------------|------------------------------|----------------------------------------|
/// | `person`, `config` | `-H`, netrc, credentials     | any                                    |
/// | `list`             | credentials in the URL alone | public, or any if private are allowed  |
/// | `cache`            | credentials in the URL alone | public                                 |
package enum FeedGiver: Hashable, Sendable {
    /// The user, on the command line, which names the feed for good.
    case person
    /// The user, in the config file, which names the feed as long as it is there.
    case config
    /// An OPML list.
    case list
    /// The cache: an archive has brought the feed, or an earlier list.
    case cache

    /// Whether the user has named the feed.
    package var isUser: Bool { self == .person || self == .config }
}

extension FeedError {
    /// The failure of a feed that an archive has brought and that may not be requested before the user names it.
    static func unnamed(_ url: ResourceURL, _ reason: String) -> FeedError {
        var error = FeedError.connectivity("came with an archive or a list, and \(reason)", host: url.hostAndPort)
            .hinting("name it with `feedsync \(url)`")
        error.isWait = true
        error.needsName = true
        return error
    }
}
