internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Deletes unreferenced images in the reverse order of publishing: first the rows in a committed transaction, then the
/// files. After a crash between the two steps, the next removal finds the files that have no rows.
extension ImageDirectory {
    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let referenced = try await database.read { connection throws(FeedError) in
            try ImageIndex(connection: connection).referencedDigests(mode)
        }
        let (kept, missing) = try attempt(.failed) { () throws(SystemError) in
            try Self.sort(referenced, in: directories.files)
        }
        let damaged = try await neededDamaged(mode, missing)
        var files = try leftovers(except: kept, damaged)
        if !mode.isDryRun {
            let lock = files.isEmpty ? nil : try await lockForDeleting()
            defer { withExtendedLifetime(lock) {} }
            try await deleteUnreferencedRows(and: missing, exceptDamaged: damaged)
            files.remove()
        } else {
            files.measure()
        }
        return ImageRemoval(
            images: files.imageCount + missing.count, gone: missing.count, bytesFreed: files.bytesFreed,
            failure: files.failure)
    }

    /// Returns the files of `damaged/` that stay.
    private func neededDamaged(
        _ mode: RemovalMode, _ missing: Set<Digest>
    ) async throws(FeedError) -> Set<Digest> {
        try await database.read { connection throws(FeedError) in
            try DamageRecords(connection: connection).needed(mode, missing: missing)
        }
    }

    private func deleteUnreferencedRows(
        and missing: Set<Digest>, exceptDamaged damaged: Set<Digest>
    ) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            try index.deleteUnreferenced()
            try index.delete(missing)
            try DamageRecords(connection: connection).delete(except: damaged)
        }
    }

    private func leftovers(except kept: Set<Digest>, _ damaged: Set<Digest>) throws(FeedError) -> FileRemoval {
        var files = FileRemoval()
        let damagedFiles = try attempt(.failed) { () throws(SystemError) in try directories.damaged() }
        if let damagedFiles {
            files.add(all: damagedFiles, ofImages: false) { name in
                Digest(hex: String(cString: name)).map(damaged.contains) == true
            }
        }
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
                // The file may exist. A search for damage examines it.
                guard error.concernsOneFile(in: files) else { throw error }
                kept.insert(digest)
            }
        }
        return (kept, missing)
    }
}

/// Files to delete.
///
/// If some can't be deleted, the first failure is reported, and the other files are deleted.
struct FileRemoval {
    private struct Leftover {
        let name: [CChar]
        let directory: Descriptor
        let isImage: Bool
    }

    private var leftovers: [Leftover] = []
    /// The number of deleted files that have names of images, and the bytes of all deleted files.
    ///
    /// A rehearsal counts the files that would be deleted.
    private(set) var imageCount = 0
    private(set) var bytesFreed: Int64 = 0
    private(set) var failure: FeedError?

    var isEmpty: Bool { leftovers.isEmpty && failure == nil }

    /// Adds the entries of a directory.
    ///
    /// In the directory of images, a file with the name of an image counts as an image.
    mutating func add(
        all directory: Descriptor, ofImages: Bool, except isKept: (UnsafePointer<CChar>) -> Bool = { _ in false }
    ) {
        do throws(SystemError) {
            try directory.forEachEntry { name, type throws(SystemError) in
                guard !isKept(name) else { return }
                let mayBeFile = [DT_REG, DT_UNKNOWN].contains { type == UInt8($0) }
                let isImage = ofImages && mayBeFile && Digest(hex: String(cString: name)) != nil
                leftovers.append(Leftover(name: Descriptor.copy(name), directory: directory, isImage: isImage))
            }
        } catch {
            failure = error.feedError(.failed)
        }
    }

    mutating func remove() {
        process { file throws(SystemError) in try file.directory.removeAll(file.name) }
        leftovers = []
    }

    mutating func measure() { process { file throws(SystemError) in try file.directory.size(of: file.name) } }

    private mutating func process(_ work: (Leftover) throws(SystemError) -> Int64) {
        guard failure == nil else { return }
        for file in leftovers {
            do throws(SystemError) {
                bytesFreed += try work(file)
                if file.isImage { imageCount += 1 }
            } catch {
                failure = failure ?? error.feedError(.failed)
            }
        }
    }
}
