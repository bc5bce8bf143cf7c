/// One picture of a feed. Its bytes are behind `url` and live apart: two feed images can share them.
package struct FeedImage: Hashable, Sendable {
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
