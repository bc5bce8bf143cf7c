internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Blobs as files in `incoming`, named by their digest.
final class DirectoryIntake: CacheIntake {
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
            try staging.directory.removeContents()
        } catch {
            // The next run that writes to the cache empties it.
        }
    }

    func bytes(of digest: Digest) throws(FeedError) -> [UInt8] {
        try attempt(.failed) { () throws(SystemError) in
            let file = try staging.directory.open(digest.hex, O_RDONLY)
            return try file.read(Int(file.status().st_size))
        }
    }

    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try staged.makeDurable()
        let merge = DirectoryMerge(connection: connection, files: files, incoming: staging.directory)
        return try connection.writing(
            { () throws(FeedError) in
                let outcome = try work(merge)
                try merge.makeDurable()
                return outcome
            }, undoing: { merge.takeBackFiles() })
    }
}
