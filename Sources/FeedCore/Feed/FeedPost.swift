/// The facts that all images of a post share. They are one object, because a feed may have a million images.
package final class FeedPost: Sendable {
    package let title: String?
    /// The page of the post, without credentials.
    package let link: ResourceURL?
    package let published: Timestamp?
    /// The last time the post was in the feed; nil if it is in the feed now.
    package let lastSeen: Timestamp?

    /// Returns nil for a post without any fact.
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
