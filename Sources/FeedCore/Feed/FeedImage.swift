/// One picture of a feed. Its bytes are behind `url` and live apart: two feed images can share them.
package struct FeedImage: Sendable {
    package let id: String
    package let description: String?
    package let location: String?
    package let url: ResourceURL

    package init(id: String, description: String? = nil, location: String? = nil, url: ResourceURL) {
        self.id = id
        self.description = description
        self.location = location
        self.url = url
    }
}

/// By the bytes of its texts: a feed that writes an é in another way has changed.
extension FeedImage: Hashable {
    package static func == (left: FeedImage, right: FeedImage) -> Bool {
        ExactText(left.id) == ExactText(right.id) && left.url == right.url
            && left.description.map(ExactText.init) == right.description.map(ExactText.init)
            && left.location.map(ExactText.init) == right.location.map(ExactText.init)
    }

    package func hash(into hasher: inout Hasher) {
        ExactText(id).hash(into: &hasher)
        url.hash(into: &hasher)
    }
}
