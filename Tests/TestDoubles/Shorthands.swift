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
