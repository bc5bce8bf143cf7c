internal import FeedCore

/// What an archive held, and what of it is named.
final class ArchiveContents {
    struct Blob {
        let size: Int64
        /// Nil: no image.
        let type: ImageType?
        fileprivate(set) var isNamed = false

        init(size: Int64, type: ImageType?) {
            self.size = size
            self.type = type
        }
    }

    var layout: [UInt8]?
    var index: [UInt8]?
    var blobs: [Digest: Blob] = [:]

    /// The blob that `name` names. `explanation` says why it may be missing.
    func blob(_ digest: Digest, namedBy name: String, explanation: String = "") throws(FeedError) -> Blob {
        guard let blob = blobs[digest] else {
            throw .invalidData(
                "\(name): names \(OCILayout.blobName(digest)), which is not in the archive\(explanation)")
        }
        if !blob.isNamed { blobs[digest]?.isNamed = true }
        return blob
    }

    /// To be called when all that names a blob has done so. Such blobs are dropped; but somebody sent them for something.
    func checkUnnamed(limit: Int64) throws(FeedError) {
        let unnamed = blobs.values.reduce(Int64(0)) { $1.isNamed ? $0 : $0 + $1.size }
        guard unnamed <= limit else {
            throw .invalidData(
                "blobs that nothing refers to: \(ByteCount.text(unnamed)) in all, which is more than --max-filesize "
                    + "(\(ByteCount.text(limit)))")
        }
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
