package import FeedCore

// Short forms that only tests use.

extension HTTPHead {
    package init(status: Int, validators: Validators, contentType: String? = nil) {
        self.init(status: status)
        self[.etag] = validators.etag
        self[.lastModified] = validators.lastModified
        self[.contentType] = contentType
    }
}

extension FeedDecoding {
    /// Decoders of tests about feeds read no pages.
    package func readPage(
        _ page: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> [PageImage] { [] }

    package func decode(_ body: [UInt8], from url: ResourceURL) throws(FeedError) -> Feed {
        try decode(FeedSource(bytes: body, url: url)).feed
    }
}

extension ImageStore {
    package func removeDamaged(_ mode: RemovalMode) async throws(FeedError) -> DamageRemoval {
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

extension ImageStore {
    /// Returns the data of URLs in any feed.
    package func find(_ urls: [ResourceURL]) async throws(FeedError) -> [StoredImage?] {
        var found: [StoredImage?] = []
        for url in urls { found.append(try await find(url)) }
        return found
    }

    /// Returns for each image, in order, why publishing failed; nil where it succeeded.
    package func failures(publishing images: [ReceivedImage]) async throws(FeedError) -> [FeedError?] {
        try await publish(images).map { result in
            switch result {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    package func failures(of urls: [ResourceURL]) async throws(FeedError) -> [RememberedFailure?] {
        try await failures(of: urls, in: .first)
    }
}

extension CacheMerge {
    /// Makes data that of a URL, as an import with `--restore` does.
    package func insert(_ data: OfferedImage, of feed: ResourceURL) throws(FeedError) {
        try insert(data, of: feed, isImported: false)
    }
}
