internal import FeedCore

/// Follows an archive's index to everything that it references, and reports every fault.
///
/// The lists of images are checked when they are visited: a fault there ends the merge, which leaves the cache
/// unchanged.
struct LayoutValidator {
    private let contents: ArchiveContents
    private let intake: any CacheIntake
    private let terms: ImportTerms
    let images: ImageValidator

    init(_ contents: ArchiveContents, in intake: any CacheIntake, _ terms: ImportTerms) {
        self.contents = contents
        self.intake = intake
        self.terms = terms
        images = ImageValidator(contents, terms)
    }

    /// Returns the feeds in the order of the index.
    func feeds() throws(FeedError) -> [any ArchivedFeed] {
        let index = try index()
        images.isThin = index.isThin
        // The URLs of the feeds by the digests of their documents.
        var urls: [Digest: ResourceURL] = [:]
        var seen: Set<ResourceURL.Key> = []
        var feeds: [any ArchivedFeed] = []
        var manifests: Set<Digest> = []
        for descriptor in index.manifests {
            try checkText(descriptor, referencedBy: OCILayout.indexFile)
            guard descriptor.size <= OCILayout.largestList else {
                throw .invalidData("\(OCILayout.blobName(descriptor.digest)): \(OCILayout.tooLarge)")
            }
            guard manifests.insert(descriptor.digest).inserted else { continue }
            let name = OCILayout.blobName(descriptor.digest)
            let manifest = try OCILayout.readManifest(try intake.bytes(of: descriptor.digest), of: name)
            try checkText(manifest.config, referencedBy: name)
            let document = manifest.config.digest
            // The manifests of a large feed share one document.
            if urls[document] == nil {
                let feed = try feed(manifest.config)
                guard seen.insert(feed.head.url.key).inserted else {
                    throw .invalidData(
                        "\(OCILayout.blobName(document)): describes the feed \(feed.head.url) in another way than "
                            + "another document does")
                }
                urls[document] = feed.head.url
                feeds.append(feed)
            }
            guard let url = urls[document] else { continue }
            for layer in manifest.layers { try images.add(layer, of: url, referencedBy: name) }
        }
        try images.checkSizes()
        return feeds
    }

    private func index() throws(FeedError) -> ArchiveIndex {
        guard let layout = contents.layout else { throw OCILayout.missing(OCILayout.layoutFile) }
        guard let index = contents.index else { throw OCILayout.missing(OCILayout.indexFile) }
        try OCILayout.readLayout(layout)
        guard !index.isThin || contents.hasEndMarker else {
            throw .invalidData("the archive is cut off: a thin archive ends with an end marker, and this one has none")
        }
        return index
    }

    private func feed(_ descriptor: BlobDescriptor) throws(FeedError) -> DocumentedFeed {
        let name = OCILayout.blobName(descriptor.digest)
        let document = try FeedDocument(name: name) { [intake] () throws(FeedError) in
            try intake.bytes(of: descriptor.digest)
        }
        let limits = terms.limits(of: document.head.url)
        try checkSize(descriptor, limits.feed)
        return DocumentedFeed(
            document: document, name: name, images: images, limits: limits, now: terms.now)
    }

    /// Checks the size of a text.
    ///
    /// Its feed is unknown until the text is read, so that the largest limit of all feeds applies.
    private func checkText(_ descriptor: BlobDescriptor, referencedBy name: String) throws(FeedError) {
        try contents.checkSize(descriptor, referencedBy: name)
        try checkSize(descriptor, terms.largest.feed)
    }

    private func checkSize(_ descriptor: BlobDescriptor, _ limit: FeedSizeLimit) throws(FeedError) {
        guard descriptor.size <= limit.document else {
            throw .invalidData("\(OCILayout.blobName(descriptor.digest)): \(limit.tooLargeDocument)")
        }
    }
}

/// A feed whose document was imported.
private struct DocumentedFeed: ArchivedFeed {
    let document: FeedDocument
    let name: String
    let images: ImageValidator
    let limits: ImportTerms.SizeLimits
    let now: Timestamp

    var head: FeedHead { document.head }

    func removed() throws(FeedError) -> RemovedImages {
        try document.removed(limit: min(limits.feed.images, RemovedImages.most))
    }

    /// Visits the images of the feed.
    ///
    /// Throws at an invalid image.
    func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError) {
        var current = 0
        try document.forEachImage { image, data throws(FeedError) in
            if image.post?.lastSeen == nil { current += 1 }
            guard current <= limits.feed.images else {
                throw .invalidData("\(name): \(FeedSizeLimit.tooMany(limits.feed.images))")
            }
            guard let data else { return try visit(image, .none) }
            let found = try images.find(data.digest, referencedBy: name, limit: limits.image)
            let described = LeftOutImage(
                url: data.url, digest: data.digest, validators: data.validators,
                fetchedAt: min(data.fetchedAt ?? head.savedAt, now))
            let held = found.map { found in
                ArchivedData.held(described.found(size: found.size, type: found.type, published: image.published))
            }
            try visit(image, held ?? .leftOut(described))
        }
    }
}
