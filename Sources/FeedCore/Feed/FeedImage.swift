/// One image of a feed. Its bytes are behind `url` and live apart: two feed images can share them.
package struct FeedImage: Sendable {
    package let id: String
    /// The image's own words, or what stands in for them.
    package let description: String?
    package let location: String?
    package let url: ResourceURL
    package let post: FeedPost?
    /// Further addresses of the same image, the best first. They have no user names and passwords.
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
    /// When it was last in its feed; nil while it is.
    package var lastSeen: Timestamp? { post?.lastSeen }
}

/// By the bytes of its texts: a feed that writes an é in another way has changed.
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
