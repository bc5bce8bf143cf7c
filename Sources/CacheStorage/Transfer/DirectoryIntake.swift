internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Blobs as files in `incoming`, named by their digest.
final class DirectoryIntake: CacheIntake {
    private static let chunkSize = 128 * 1024

    private let connection: SQLiteConnection
    private let files: Descriptor
    private let staging: Staging
    private let staged: StagedBlobs

    init(connection: SQLiteConnection, files: Descriptor, staging: Staging) {
        self.connection = connection
        self.files = files
        self.staging = staging
        staged = StagedBlobs(staging)
    }

    var blobs: any BlobIntake { staged }

    /// To be called when nothing more is to be merged.
    func discard() {
        do {
            try staging.folder.removeContents()
        } catch {
            // The next run that writes to the cache empties it.
        }
    }

    func forEachChunk(of digest: Digest, _ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        let file = try attempt(.failed) { () throws(SystemError) in try staging.folder.open(digest.hex, O_RDONLY) }
        var offset = 0
        while true {
            let chunk = try attempt(.failed) { () throws(SystemError) in try file.read(Self.chunkSize, at: offset) }
            if chunk.isEmpty { return }
            try visit(chunk)
            offset += chunk.count
        }
    }

    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try staged.makeDurable()
        let merge = DirectoryMerge(connection: connection, files: files, incoming: staging.folder)
        return try connection.writing(
            { () throws(FeedError) in
                let outcome = try work(merge)
                try merge.makeDurable()
                return outcome
            }, undoing: { merge.takeBackFiles() })
    }
}
