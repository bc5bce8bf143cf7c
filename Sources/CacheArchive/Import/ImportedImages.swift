internal import FeedCore

/// The images of an archive, each of which has to be one, and no larger than it may be: one that several feeds have may
/// be as large as any of them allows.
final class ImportedImages {
    private let contents: ArchiveContents
    private let terms: ImportTerms
    /// The largest that any feed with the image as a layer allows, for images that are too large for some feed.
    private var limits: [Digest: Int64] = [:]

    /// All parts have the same document, and the index doesn't say how many there are.
    private static let otherParts = " (a feed that was split is imported with all its parts: NAME, NAME.2 and so on)"

    init(_ contents: ArchiveContents, _ terms: ImportTerms) {
        self.contents = contents
        self.terms = terms
    }

    /// Whether it is too large is known only when all layers of all feeds are.
    func add(_ layer: BlobDescriptor, of feed: ResourceURL, namedBy name: String) throws(FeedError) {
        let image = try image(layer.digest, namedBy: name)
        try contents.checkSize(layer, namedBy: name)
        guard layer.mediaType == image.type.mediaType else {
            let said = layer.mediaType.prefix(80)
            throw .invalidData(
                "\(name): calls \(OCILayout.blobName(layer.digest)) \(said), and it is \(image.type.mediaType)")
        }
        guard image.size > terms.smallestImageLimit else { return }
        limits[layer.digest] = max(limits[layer.digest] ?? 0, terms.limits(of: feed).image)
    }

    /// To be called when all layers were added.
    func checkSizes() throws(FeedError) {
        for (digest, limit) in limits { try checkSize(of: digest, contents.blobs[digest]?.size ?? 0, limit) }
    }

    /// One of a feed whose own limit is this.
    func find(
        _ digest: Digest, namedBy name: String, limit: Int64
    ) throws(FeedError) -> (size: Int64, type: ImageType) {
        let image = try image(digest, namedBy: name, explanation: Self.otherParts)
        if image.size > limit { try checkSize(of: digest, image.size, max(limit, limits[digest] ?? 0)) }
        return image
    }

    private func image(
        _ digest: Digest, namedBy name: String, explanation: String = ""
    ) throws(FeedError) -> (size: Int64, type: ImageType) {
        let blob = try contents.blob(digest, namedBy: name, explanation: explanation)
        guard let type = blob.type else {
            throw .invalidData("\(OCILayout.blobName(digest)): no image of a known type, and \(name) has it as one")
        }
        return (blob.size, type)
    }

    private func checkSize(of digest: Digest, _ size: Int64, _ limit: Int64) throws(FeedError) {
        guard size <= limit else {
            throw .invalidData(
                "\(OCILayout.blobName(digest)): larger than --max-filesize (\(ByteCount.text(limit)))")
        }
    }
}
