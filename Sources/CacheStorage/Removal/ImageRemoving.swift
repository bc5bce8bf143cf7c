internal import FeedCore
internal import SystemFiles

/// Deleting goes the other way round than publishing: the rows first, committed, then the files that no row names. A
/// crash between the two leaves files without rows, which the next removal finds.
extension ImageDirectory {
    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let referenced = try await database.read { connection throws(FeedError) in
            try ImageIndex(connection: connection).referencedDigests(besides: mode.feedsLeftOut)
        }
        let (kept, missing) = try attempt(.failed) { () throws(SystemError) in
            try Self.sort(referenced, in: directories.files)
        }
        // What is missing counts as damaged where damage was looked for, with whatever stands in its place.
        let gone = mode.leavesDamagedOut ? 0 : missing.count
        var files = leftovers(besides: mode.leavesDamagedOut ? kept.union(missing) : kept)
        if !mode.isDryRun {
            let lock = files.isEmpty ? nil : try await lockForDeleting()
            defer { withExtendedLifetime(lock) {} }
            try await deleteUnreferencedRows(and: missing)
            files.remove()
        } else {
            files.measure()
        }
        return ImageRemoval(
            images: files.imageCount + gone, gone: gone, bytesFreed: files.bytesFreed, failure: files.failure)
    }

    private func deleteUnreferencedRows(and missing: Set<Digest>) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try SQLiteFeedChange(connection: connection).deleteItemsOfNoFeed()
            let index = ImageIndex(connection: connection)
            try index.deleteUnreferenced()
            try index.delete(missing)
        }
    }

    private func leftovers(besides kept: Set<Digest>) -> FileRemoval {
        var files = FileRemoval()
        if let directory = directories.files {
            files.add(all: directory, ofImages: true) { name in
                Digest(hex: String(cString: name)).map(kept.contains) == true
            }
        }
        if let directory = directories.incoming { files.add(all: directory, ofImages: false) }
        if let directory = directories.thumbnails {
            files.add(all: directory, ofImages: false) { name in
                Digest(hex: String(String(cString: name).prefix { $0 != "." })).map(kept.contains) == true
            }
        }
        return files
    }

    func requireWritable(for mode: RemovalMode) throws(FeedError) {
        if !mode.isDryRun, staging == nil { throw readOnly }
    }

    private static func sort(
        _ digests: Set<Digest>, in files: Descriptor?
    ) throws(SystemError) -> (kept: Set<Digest>, missing: Set<Digest>) {
        guard let files else { return ([], digests) }
        var kept: Set<Digest> = []
        var missing: Set<Digest> = []
        for digest in digests {
            do throws(SystemError) {
                let isFile = try files.status(of: digest.hex)?.isFile == true
                if isFile { kept.insert(digest) } else { missing.insert(digest) }
            } catch {
                // It may be there, and is left to whoever looks for damage.
                guard error.concernsOneFile(in: files) else { throw error }
                kept.insert(digest)
            }
        }
        return (kept, missing)
    }
}
