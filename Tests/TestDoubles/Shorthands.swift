package import FeedCore

// What only tests say so briefly.

extension HTTPHead {
    package init(status: Int, validators: Validators, contentType: String? = nil) {
        self.init(status: status)
        self[.etag] = validators.etag
        self[.lastModified] = validators.lastModified
        self[.contentType] = contentType
    }
}

extension FeedDecoding {
    package func decode(_ body: [UInt8], from url: ResourceURL) throws(FeedError) -> Feed {
        try decode(FeedSource(bytes: body, url: url)).feed
    }
}

extension ImageStore {
    package func removeDamaged(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try await removeDamaged(mode, progress: nil)
    }
}

extension FeedImage {
    package init(
        id: String, description: String? = nil, location: String? = nil, url: ResourceURL, title: String?,
        link: ResourceURL? = nil, published: Timestamp? = nil, alternatives: [ResourceURL] = []
    ) {
        self.init(
            id: id, description: description, location: location, url: url,
            post: FeedPost(title: title, link: link, published: published), alternatives: alternatives)
    }
}
