package import FeedCore
internal import Synchronization
internal import SystemFiles

/// Merges an archive into a cache.
///
/// A fault anywhere in the archive leaves the cache unchanged.
package final class CacheImporter: Sendable {
    private struct StartedArchive {
        let reader: ArchiveReader
        let first: ArchiveReader.Member
    }

    private let name: String
    /// The archive before the merge; nil afterwards.
    private let archive: Mutex<StartedArchive?>

    /// Reads the beginning of the archive, so that a file of another kind is reported before a cache is created.
    package init(_ source: any ByteSource) throws(FeedError) {
        let name = source.name
        self.name = name
        archive = try Self.refusing(name) { () throws(FeedError) in
            let reader = try ArchiveReader(source)
            guard let first = try reader.next() else { throw ArchiveReader.empty }
            return Mutex(StartedArchive(reader: reader, first: first))
        }
    }

    /// Imports the archive.
    ///
    /// It is called once. `progress` is called after each blob.
    package func merge(
        into intake: any CacheIntake, _ terms: ImportTerms, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ImportReport {
        try Self.refusing(name) { () throws(FeedError) in
            guard let archive = archive.withLock({ $0.take() }) else {
                throw .storage(.failed, "the archive was read before")
            }
            let contents = try stageBlobs(of: archive, intake, terms, progress)
            let validator = LayoutValidator(contents, in: intake, terms)
            let feeds = try validator.feeds()
            return try intake.merge { merge throws(FeedError) in
                let report = try FeedMerging(isForced: terms.isForced, restores: terms.restores, now: terms.now).merge(
                    feeds, into: merge)
                try contents.checkUnreferenced(limit: terms.largest.image)
                return report
            }
        }
    }

    fileprivate static func refusing<Outcome: ~Copyable>(
        _ name: String, _ work: () throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        do throws(FeedError) {
            return try work()
        } catch let error where error.kind == .invalidData {
            throw .invalidData("\(name): \(error.message); nothing was imported")
        }
    }

    /// Stages every blob and checks it against its name.
    private func stageBlobs(
        of archive: StartedArchive, _ intake: any CacheIntake, _ terms: ImportTerms,
        _ progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ArchiveContents {
        let reader = archive.reader
        let blobs = BlobImporter(intake.blobs)
        defer { blobs.stop() }
        let contents = ArchiveContents()
        // The total is unknown until the end of the archive.
        var soFar = Progress()
        var next: ArchiveReader.Member? = archive.first
        while let entry = next {
            switch entry {
            case .directory: break
            case .layout: contents.layout = try collect(reader, terms)
            case .index: contents.index = try readIndex(reader, terms)
            case .blob(let digest):
                guard contents.blobs[digest] == nil else { throw reader.repeated }
                let blob = try stageBlob(digest, from: reader, blobs, terms)
                contents.blobs[digest] = blob
                if blob.type != nil { soFar.done += 1 }
                soFar.bytes += blob.size
                progress(soFar)
            }
            next = try reader.next()
        }
        contents.hasEndMarker = reader.hasEndMarker
        try blobs.finish()
        return contents
    }

    /// Reads the index, which is at the beginning of an export, so that a thin archive is refused before its blobs are
    /// read.
    private func readIndex(_ reader: ArchiveReader, _ terms: ImportTerms) throws(FeedError) -> ArchiveIndex {
        let index = try OCILayout.readIndex(try collect(reader, terms))
        guard terms.restores || !index.isThin else {
            throw .invalidData(
                "this is a thin archive, which leaves out images that older archives contain; only "
                    + "`feedsync import --restore` reads it")
        }
        return index
    }

    private func collect(_ reader: ArchiveReader, _ terms: ImportTerms) throws(FeedError) -> [UInt8] {
        guard reader.size <= terms.largest.feed.document else {
            throw reader.refused(terms.largest.feed.tooLargeDocument)
        }
        return try reader.list()
    }

    private func stageBlob(
        _ digest: Digest, from reader: ArchiveReader, _ blobs: BlobImporter, _ terms: ImportTerms
    ) throws(FeedError) -> ArchiveContents.ReceivedBlob {
        // Whether the blob is an image or a document, and of which feed, is known only after the whole archive was
        // read.
        guard reader.size <= max(terms.largest.image, terms.largest.feed.document) else {
            throw reader.refused("larger than --max-filesize and four times --max-feed-size")
        }
        return ArchiveContents.ReceivedBlob(size: reader.size, type: try blobs.add(digest, from: reader))
    }
}

/// Reads archives on its own thread, because an archive may come from a slow pipe.
package actor ArchiveOpener {
    private let executor = QueueExecutor("feedsync.archive")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    package func open(_ source: any ByteSource) throws(FeedError) -> CacheImporter { try CacheImporter(source) }

    /// Returns the digests of the blobs in an archive.
    package func list(_ source: any ByteSource) throws(FeedError) -> Set<Digest> {
        try ArchiveListing.blobs(of: source)
    }

    package func age(of source: any ByteSource, _ terms: ImportTerms) throws(FeedError) -> ArchiveAge {
        try CacheImporter.refusing(source.name) { () throws(FeedError) in
            try ArchiveListing.age(of: source, largestDocument: terms.largest.feed.document)
        }
    }
}
