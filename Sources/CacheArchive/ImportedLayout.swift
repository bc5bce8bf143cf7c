internal import FeedCore

/// Goes through all that an archive's index leads to, and finds every fault: those in the lists of images when they are
/// visited, for a merge that ends in one changes nothing.
struct ImportedLayout {
    private let contents: ArchiveContents
    private let intake: any CacheIntake
    private let terms: ImportTerms

    init(_ contents: ArchiveContents, in intake: any CacheIntake, _ terms: ImportTerms) {
        self.contents = contents
        self.intake = intake
        self.terms = terms
    }

    /// In the order of the index.
    func feeds() throws(FeedError) -> [any ArchivedFeed] {
        guard let layout = contents.layout else { throw missing(OCILayout.layoutFile) }
        guard let index = contents.index else { throw missing(OCILayout.indexFile) }
        try OCILayout.readLayout(layout)
        var documents: Set<Digest> = []
        var urls: Set<ResourceURL.Key> = []
        var feeds: [any ArchivedFeed] = []
        var manifests: Set<Digest> = []
        for descriptor in try OCILayout.readIndex(index) {
            try checkDocument(descriptor, namedBy: OCILayout.indexFile)
            guard manifests.insert(descriptor.digest).inserted else { continue }
            let config = try checkManifest(descriptor.digest)
            // A large feed's manifests share one document.
            guard documents.insert(config.digest).inserted else { continue }
            let feed = try self.feed(config.digest)
            guard urls.insert(feed.head.url.key).inserted else {
                throw .invalidData(
                    "\(OCILayout.blobName(config.digest)): describes the feed \(feed.head.url) in another way than "
                        + "another document does")
            }
            feeds.append(feed)
        }
        return feeds
    }

    private func checkManifest(_ digest: Digest) throws(FeedError) -> BlobDescriptor {
        let name = OCILayout.blobName(digest)
        let manifest = try OCILayout.readManifest(try intake.bytes(of: digest), of: name)
        try checkDocument(manifest.config, namedBy: name)
        for layer in manifest.layers {
            let type = try checkImage(layer.digest, namedBy: name).type
            try checkSize(layer, namedBy: name)
            guard layer.mediaType == type.mediaType else {
                let said = layer.mediaType.prefix(80)
                throw .invalidData(
                    "\(name): calls \(OCILayout.blobName(layer.digest)) \(said), and it is \(type.mediaType)")
            }
        }
        return manifest.config
    }

    private func feed(_ digest: Digest) throws(FeedError) -> StagedFeed {
        let name = OCILayout.blobName(digest)
        let document = FeedDocument(name: name) { [intake] visit throws(FeedError) in
            try intake.forEachChunk(of: digest, visit)
        }
        return StagedFeed(head: try document.readHead(), document: document, name: name, layout: self)
    }

    private func checkDocument(_ descriptor: BlobDescriptor, namedBy name: String) throws(FeedError) {
        try checkSize(descriptor, namedBy: name)
        guard descriptor.size <= terms.maxDocumentSize else {
            let limit = ByteCount.text(terms.maxDocumentSize)
            throw .invalidData("\(OCILayout.blobName(descriptor.digest)): larger than --max-feed-size (\(limit))")
        }
    }

    fileprivate func checkImage(
        _ digest: Digest, namedBy name: String
    ) throws(FeedError) -> (blob: ArchiveContents.Blob, type: ImageType) {
        let blob = try blob(digest, namedBy: name)
        guard let type = blob.type else {
            throw .invalidData("\(OCILayout.blobName(digest)): no image of a known type, and \(name) has it as one")
        }
        guard blob.size <= terms.maxImageSize else {
            let limit = ByteCount.text(terms.maxImageSize)
            throw .invalidData("\(OCILayout.blobName(digest)): larger than --max-filesize (\(limit))")
        }
        return (blob, type)
    }

    private func checkSize(_ descriptor: BlobDescriptor, namedBy name: String) throws(FeedError) {
        let blob = try blob(descriptor.digest, namedBy: name)
        guard blob.size == descriptor.size else {
            throw .invalidData(
                "\(name): has \(OCILayout.blobName(descriptor.digest)) with \(descriptor.size) bytes, and it has "
                    + "\(blob.size)")
        }
    }

    private func blob(_ digest: Digest, namedBy name: String) throws(FeedError) -> ArchiveContents.Blob {
        guard let blob = contents.blobs[digest] else {
            throw .invalidData("\(name): names \(OCILayout.blobName(digest)), which is not in the archive")
        }
        return blob
    }

    private func missing(_ name: String) -> FeedError {
        .invalidData("\(name) is missing: this is no OCI image layout, or it is cut off")
    }
}

/// A feed whose document was brought in.
private struct StagedFeed: ArchivedFeed {
    let head: FeedHead
    let document: FeedDocument
    let name: String
    let layout: ImportedLayout

    /// Throws at an image that is not as it should be.
    func forEachImage(_ visit: (FeedImage, OfferedImage?) throws(FeedError) -> Void) throws(FeedError) {
        try document.forEachImage(of: head.url) { image, data throws(FeedError) in
            guard let data else { return try visit(image, nil) }
            let (blob, type) = try layout.checkImage(data.digest, namedBy: name)
            try visit(
                image,
                OfferedImage(
                    url: image.url, digest: data.digest, size: blob.size, type: type, validators: data.validators,
                    fetchedAt: head.savedAt))
        }
    }
}
