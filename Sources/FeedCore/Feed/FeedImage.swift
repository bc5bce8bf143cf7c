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
