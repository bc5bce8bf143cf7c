/// One image of a feed. Its data belongs to its URLs: two feed images can share data.
package struct FeedImage: Sendable {
    package let id: String
    /// The words about the image, or the words of its post.
    package let description: String?
    package let location: String?
    package let url: ResourceURL
    package let post: FeedPost?
    /// Further URLs of the same image, the best first. They contain no credentials.
    package let alternatives: [ResourceURL]

    package static let mostAlternatives = 8

    package init(
        id: String, description: String? = nil, location: String? = nil, url: ResourceURL, post: FeedPost? = nil,
        alternatives: [ResourceURL] = []
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.url = url
        self.post = post
        self.alternatives = alternatives
    }
}

extension FeedImage {
    package var title: String? { post?.title }
    package var link: ResourceURL? { post?.link }
    package var published: Timestamp? { post?.published }
    /// The last time the image was in its feed; nil if it is in the feed now.
    package var lastSeen: Timestamp? { post?.lastSeen }

    /// The text that a person reads first.
    package var heading: String { description ?? title ?? id }

    /// The title of the post, unless it is the heading.
    package var subheading: String? { title == heading ? nil : title }

    /// The moment by which kept images are ordered.
    package var newness: Timestamp { published ?? lastSeen ?? Timestamp(microseconds: 0) }

    /// Returns the image as one that left its feed and was in it last at this moment.
    package func leaving(_ moment: Timestamp) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, url: url,
            post: FeedPost(title: title, link: link, published: published, lastSeen: moment), alternatives: alternatives
        )
    }
}

/// Images are compared by the bytes of their texts: a feed that spells an é differently has changed.
extension FeedImage: Hashable {
    package static func == (left: FeedImage, right: FeedImage) -> Bool {
        ExactText(left.id) == ExactText(right.id) && left.url == right.url
            && left.description.map(ExactText.init) == right.description.map(ExactText.init)
            && left.location.map(ExactText.init) == right.location.map(ExactText.init)
            && left.post == right.post && left.alternatives == right.alternatives
    }

    package func hash(into hasher: inout Hasher) {
        ExactText(id).hash(into: &hasher)
        url.hash(into: &hasher)
    }
}

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
