internal import FeedCore

/// Reads the contents of an archive without the data of its images.
enum ArchiveListing {
    /// Returns the digests of the blobs in an archive.
    ///
    /// An archive that is cut off is damaged, because it lacks the end of its list.
    static func blobs(of source: any ByteSource) throws(FeedError) -> Set<Digest> {
        do throws(FeedError) {
            return try readBlobs(of: source)
        } catch let error where error.kind == .invalidData {
            throw .invalidData("\(source.name): \(error.message); nothing was exported")
        }
    }

    private static func readBlobs(of source: any ByteSource) throws(FeedError) -> Set<Digest> {
        let reader = try ArchiveReader(source, onlyList: true)
        var blobs: Set<Digest> = []
        var layout: [UInt8]?
        var index: [UInt8]?
        while let entry = try reader.next() {
            switch entry {
            case .directory: break
            case .layout: layout = try reader.list()
            case .index: index = try reader.list()
            case .blob(let digest):
                guard blobs.insert(digest).inserted else { throw reader.repeated }
                try reader.skipData()
            }
        }
        guard let layout else { throw OCILayout.missing(OCILayout.layoutFile) }
        guard let index else { throw OCILayout.missing(OCILayout.indexFile) }
        guard reader.hasEndMarker else { throw .invalidData("the archive is cut off: it has no end marker") }
        try OCILayout.readLayout(layout)
        for manifest in try OCILayout.readIndex(index).manifests where !blobs.contains(manifest.digest) {
            throw .invalidData(
                "\(OCILayout.indexFile): names \(OCILayout.blobName(manifest.digest)), which is not in the archive")
        }
        return blobs
    }

    /// Returns when an archive was written, as its index says.
    ///
    /// The index of 0.1.0 and 0.2.0 lacks the moment; then the feed documents tell it.
    static func age(of source: any ByteSource, largestDocument: Int64) throws(FeedError) -> ArchiveAge {
        let reader = try ArchiveReader(source, onlyList: true)
        var index: ArchiveIndex?
        var newest = Timestamp(microseconds: .min)
        while let entry = try reader.next() {
            switch entry {
            case .directory: break
            case .layout: try reader.skipData()
            case .index:
                let found = try OCILayout.readIndex(try reader.list())
                if let savedAt = found.savedAt { return ArchiveAge(savedAt: savedAt, isThin: found.isThin) }
                index = found
            case .blob:
                guard reader.size <= largestDocument else {
                    try reader.skipData()
                    continue
                }
                if let savedAt = FeedDocument.savedAt(in: try reader.jsonText()) { newest = max(newest, savedAt) }
            }
        }
        return ArchiveAge(savedAt: newest, isThin: index?.isThin ?? false)
    }
}
