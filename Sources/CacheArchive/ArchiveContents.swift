internal import FeedCore

/// What an archive held.
struct ArchiveContents {
    struct Blob: Hashable {
        let size: Int64
        /// Nil: no image.
        let type: ImageType?
    }

    var layout: [UInt8]?
    var index: [UInt8]?
    var blobs: [Digest: Blob] = [:]

    /// `explanation`: why it may be missing.
    func blob(_ digest: Digest, namedBy name: String, explanation: String = "") throws(FeedError) -> Blob {
        guard let blob = blobs[digest] else {
            throw .invalidData(
                "\(name): names \(OCILayout.blobName(digest)), which is not in the archive\(explanation)")
        }
        return blob
    }

    func checkSize(_ descriptor: BlobDescriptor, namedBy name: String) throws(FeedError) {
        let blob = try blob(descriptor.digest, namedBy: name)
        guard blob.size == descriptor.size else {
            throw .invalidData(
                "\(name): has \(OCILayout.blobName(descriptor.digest)) with \(descriptor.size) bytes, and it has "
                    + "\(blob.size)")
        }
    }
}
