internal import FeedCore

/// The blobs and texts of an archive, and which of the blobs are referenced.
final class ArchiveContents {
    struct ReceivedBlob {
        let size: Int64
        /// The type of the image, or nil for a blob of another kind.
        let type: ImageType?
        fileprivate(set) var isReferenced = false

        init(size: Int64, type: ImageType?) {
            self.size = size
            self.type = type
        }
    }

    var layout: [UInt8]?
    var index: ArchiveIndex?
    var blobs: [Digest: ReceivedBlob] = [:]
    var hasEndMarker = false

    /// Returns the blob that `name` references.
    ///
    /// `explanation` is a possible reason for a missing blob.
    func blob(_ digest: Digest, referencedBy name: String, explanation: String = "") throws(FeedError) -> ReceivedBlob {
        guard let blob = blobs[digest] else {
            throw .invalidData(
                "\(name): names \(OCILayout.blobName(digest)), which is not in the archive\(explanation)")
        }
        if !blob.isReferenced { blobs[digest]?.isReferenced = true }
        return blob
    }

    /// Limits the size of the unreferenced blobs, which are dropped.
    ///
    /// It is called after every reference was followed.
    func checkUnreferenced(limit: Int64) throws(FeedError) {
        let unreferenced = blobs.values.reduce(Int64(0)) { $1.isReferenced ? $0 : $0 + $1.size }
        guard unreferenced <= limit else {
            throw .invalidData(
                "blobs that nothing refers to: \(ByteCount.text(unreferenced)) in all, which is more than --max-filesize "
                    + "(\(ByteCount.text(limit)))")
        }
    }

    func checkSize(_ descriptor: BlobDescriptor, referencedBy name: String) throws(FeedError) {
        let blob = try blob(descriptor.digest, referencedBy: name)
        guard blob.size == descriptor.size else {
            throw .invalidData(
                "\(name): has \(OCILayout.blobName(descriptor.digest)) with \(descriptor.size) bytes, and it has "
                    + "\(blob.size)")
        }
    }
}

/// Checks that the images of an archive are of a known type and within the size limit.
///
/// An image that several feeds have may have the largest size that one of them allows.
final class ImageValidator {
    private let contents: ArchiveContents
    private let terms: ImportTerms
    /// The largest limit of the feeds that have the image as a layer, for images that exceed the limit of at least one
    /// feed.
    private var limits: [Digest: Int64] = [:]
    /// Whether the archive is thin.
    var isThin = false
    /// The digests of the layers whose images a thin archive leaves out.
    private(set) var leftOut: Set<Digest> = []

    /// The explanation for a missing image.
    ///
    /// All parts of a feed share one document, and the index leaves the number of parts open.
    private static let otherParts = " (a feed that was split is imported with all its parts: NAME, NAME.2 and so on)"

    init(_ contents: ArchiveContents, _ terms: ImportTerms) {
        self.contents = contents
        self.terms = terms
    }

    /// Adds a layer.
    ///
    /// Its size is checked later, because a feed that comes later may allow it. Nothing is known about the bytes of a
    /// layer that a thin archive leaves out.
    func add(_ layer: BlobDescriptor, of feed: ResourceURL, referencedBy name: String) throws(FeedError) {
        if isThin, contents.blobs[layer.digest] == nil {
            guard ImageType(mediaType: layer.mediaType) != nil else {
                throw .invalidData(
                    "\(name): calls \(OCILayout.blobName(layer.digest)) \(layer.mediaType.prefix(80)), which is no type "
                        + "of an image")
            }
            leftOut.insert(layer.digest)
            return
        }
        let image = try image(layer.digest, referencedBy: name)
        try contents.checkSize(layer, referencedBy: name)
        guard layer.mediaType == image.type.mediaType else {
            let said = layer.mediaType.prefix(80)
            throw .invalidData(
                "\(name): calls \(OCILayout.blobName(layer.digest)) \(said), and it is \(image.type.mediaType)")
        }
        guard image.size > terms.smallestImageLimit else { return }
        limits[layer.digest] = max(limits[layer.digest] ?? 0, terms.limits(of: feed).image)
    }

    /// Checks the sizes after every layer was added.
    func checkSizes() throws(FeedError) {
        for (digest, limit) in limits { try checkSize(of: digest, contents.blobs[digest]?.size ?? 0, limit) }
    }

    /// Returns an image that a feed with this limit references, or nil if the archive leaves it out.
    func find(
        _ digest: Digest, referencedBy name: String, limit: Int64
    ) throws(FeedError) -> (size: Int64, type: ImageType)? {
        if leftOut.contains(digest) { return nil }
        let image = try image(digest, referencedBy: name, explanation: Self.otherParts)
        if image.size > limit { try checkSize(of: digest, image.size, max(limit, limits[digest] ?? 0)) }
        return image
    }

    private func image(
        _ digest: Digest, referencedBy name: String, explanation: String = ""
    ) throws(FeedError) -> (size: Int64, type: ImageType) {
        let blob = try contents.blob(digest, referencedBy: name, explanation: explanation)
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
