package import FeedCore

/// Merges an archive into a cache: all of it or, where anything about it is not as it should be, nothing.
package struct CacheImporter: Sendable {
    private let terms: ImportTerms

    package init(_ terms: ImportTerms) { self.terms = terms }

    /// `progress` is told of each blob that came in.
    package func merge(
        _ source: any ByteSource, into intake: any CacheIntake, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ImportReport {
        do throws(FeedError) {
            let contents = try takeIn(source, intake, progress)
            let feeds = try ImportedLayout(contents, in: intake, terms).feeds()
            return try intake.merge { merge throws(FeedError) in
                try FeedMerging(isForced: terms.isForced, now: terms.now).merge(feeds, into: merge)
            }
        } catch let error where error.kind == .invalidData {
            throw .invalidData("\(source.name): \(error.message); nothing was imported")
        }
    }

    /// Brings in every blob, and knows afterwards that each is what its name says.
    private func takeIn(
        _ source: any ByteSource, _ intake: any CacheIntake, _ progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ArchiveContents {
        let reader = try ArchiveReader(source)
        let blobs = BlobsIn(intake.blobs)
        defer { blobs.wait() }
        var contents = ArchiveContents()
        // How much an archive holds isn't known before its end.
        var soFar = Progress()
        while let entry = try reader.next() {
            switch entry {
            case .folder: continue
            case .layout: contents.layout = try collect(reader)
            case .index: contents.index = try collect(reader)
            case .blob(let digest):
                guard contents.blobs[digest] == nil else { throw reader.repeated }
                let blob = try takeIn(digest, from: reader, blobs)
                contents.blobs[digest] = blob
                if blob.type != nil { soFar.done += 1 }
                soFar.bytes += blob.size
                progress(soFar)
            }
        }
        try blobs.finish()
        return contents
    }

    private func collect(_ reader: ArchiveReader) throws(FeedError) -> [UInt8] {
        guard reader.size <= terms.largest.document else {
            throw reader.refused("larger than --max-feed-size (\(ByteCount.text(terms.largest.document)))")
        }
        var bytes: [UInt8] = []
        try reader.forEachChunk { chunk in bytes += chunk }
        return bytes
    }

    private func takeIn(
        _ digest: Digest, from reader: ArchiveReader, _ blobs: BlobsIn
    ) throws(FeedError) -> ArchiveContents.Blob {
        // Which of the two holds, and of which feed, is known only when all is there.
        guard reader.size <= max(terms.largest.image, terms.largest.document) else {
            throw reader.refused("larger than --max-filesize and --max-feed-size")
        }
        try blobs.begin(digest, size: reader.size)
        try reader.forEachChunk { chunk throws(FeedError) in try blobs.append(chunk) }
        return ArchiveContents.Blob(size: reader.size, type: blobs.type)
    }
}
