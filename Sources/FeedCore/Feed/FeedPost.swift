/// What a feed says of the post that has a image. All images of a post share one: a feed may have a million.
package final class FeedPost: Sendable {
    package let title: String?
    /// Its page on the web, without user name and password.
    package let link: ResourceURL?
    package let published: Timestamp?
    /// When it was last in the feed; nil while it is.
    package let lastSeen: Timestamp?

    /// Nil where nothing is said.
    package init?(
        title: String? = nil, link: ResourceURL? = nil, published: Timestamp? = nil, lastSeen: Timestamp? = nil
    ) {
        guard title != nil || link != nil || published != nil || lastSeen != nil else { return nil }
        self.title = title
        self.link = link
        self.published = published
        self.lastSeen = lastSeen
    }
}

extension FeedPost: Equatable {
    package static func == (left: FeedPost, right: FeedPost) -> Bool {
        left === right
            || left.title.map(ExactText.init) == right.title.map(ExactText.init) && left.link == right.link
                && left.published == right.published && left.lastSeen == right.lastSeen
    }
}
