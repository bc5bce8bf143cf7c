/// The origin of the wish to request a feed. Only the user decides which addresses are contacted and which secrets are
/// sent.
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
