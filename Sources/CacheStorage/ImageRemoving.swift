internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Deleting goes the other way round than publishing: the rows first, committed, then the files that no row names. A
/// crash between the two leaves files without rows, which the next removal finds.
extension ImageDirectory {
    /// Of each thread that hashes.
    private static var filesAtOnce: Int { min(64, max(1, OpenFileLimit.forImages / hashingThreads)) }

    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let referenced = try await database.read { connection throws(FeedError) in
            try ImageIndex(connection: connection).referencedDigests(besides: mode.feedsLeftOut)
        }
        let (kept, missing) = try attempt(.failed) { () throws(SystemError) in
            try Self.sort(referenced, in: folders.files)
        }
        // What is missing counts as damaged where damage was looked for, with whatever stands in its place.
        let gone = mode.leavesDamagedOut ? 0 : missing.count
        var files = leftovers(besides: mode.leavesDamagedOut ? kept.union(missing) : kept)
        if !mode.isDryRun {
            let lock = files.isEmpty ? nil : try await lockForDeleting()
            defer { withExtendedLifetime(lock) {} }
            if case .makingRoom = mode { files.remove() }
            do throws(FeedError) {
                try await deleteUnreferencedRows(and: missing)
            } catch {
                if mode == .forReal {
                    files = try await unnamedFiles()
                    files.remove()
                }
                return ImageRemoval(images: files.imageCount, bytesFreed: files.bytesFreed, failure: error)
            }
            files.remove()
        } else {
            files.measure()
        }
        return ImageRemoval(
            images: files.imageCount + gone, gone: gone, bytesFreed: files.bytesFreed, failure: files.failure)
    }

    /// What no row names at all goes, whatever becomes of the rows: it may be the room that is missing.
    private func unnamedFiles() async throws(FeedError) -> FileRemoval {
        leftovers(
            besides: try await database.read { connection throws(FeedError) in
                Set(try ImageIndex(connection: connection).sizes().keys)
            })
    }

    private func deleteUnreferencedRows(and missing: Set<Digest>) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try SQLiteFeedChange(connection: connection).deleteItemsOfNoFeed()
            let index = ImageIndex(connection: connection)
            try index.deleteUnreferenced()
            try index.delete(missing)
            try FailureMemory(connection: connection).forgetUnreferenced()
        }
    }

    private func leftovers(besides kept: Set<Digest>) -> FileRemoval {
        var files = FileRemoval()
        if let folder = folders.files {
            files.add(all: folder, ofImages: true) { name in
                Digest(hex: String(cString: name)).map(kept.contains) == true
            }
        }
        if let folder = folders.incoming { files.add(all: folder, ofImages: false) }
        return files
    }

    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let all = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            let referenced = try index.referencedDigests(besides: mode.feedsLeftOut)
            return try index.sizes().filter { referenced.contains($0.key) }.map { (digest: $0.key, size: $0.value) }
        }
        guard let files = folders.files else { return ImageRemoval(images: all.count, bytesFreed: 0) }
        let findings = Findings(of: all.count, progress)
        let result = await withTaskCancellationHandler {
            Result { () throws(FeedError) in try Self.damaged(all, in: files, findings) }
        } onCancel: {
            findings.cancel()
        }
        let damaged = try result.get()
        var removal = FileRemoval()
        for digest in damaged { removal.add(digest, in: files) }
        if mode.isDryRun {
            removal.measure()
        } else if !damaged.isEmpty {
            let lock = try await lockForDeleting()
            defer { withExtendedLifetime(lock) {} }
            try await database.write { connection throws(FeedError) in
                try ImageIndex(connection: connection).delete(Set(damaged))
            }
            removal.remove()
        }
        return ImageRemoval(images: removal.imageCount, bytesFreed: removal.bytesFreed, failure: removal.failure)
    }

    private func requireWritable(for mode: RemovalMode) throws(FeedError) {
        if !mode.isDryRun, staging == nil { throw readOnly }
    }

    /// Keeps out whoever reads many images and relies on their staying: an export, a gallery. Nil: they are kept out
    /// already.
    private func lockForDeleting() async throws(FeedError) -> Descriptor? {
        guard removalLock == nil else { return nil }
        return try await lockForDeleting(wait)
    }

    private func lockForDeleting(_ wait: LockWait) async throws(FeedError) -> Descriptor {
        guard staging != nil, let lock = try await folders.lockImages(.exclusive, wait, cache: path) else {
            throw readOnly
        }
        return lock
    }

    func letReadersIn() { removalLock = nil }

    func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool {
        do throws(FeedError) {
            let wait = waiting ? wait : LockWait(limit: .zero, sleeping: wait.sleeping)
            removalLock = try await lockForDeleting(wait)
            return true
        } catch let error where !waiting && error.kind == .storage(.locked) {
            return false
        }
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

    /// Cancelled, it finds nothing: what is damaged is only deleted when all is known.
    private static func damaged(
        _ images: [(digest: Digest, size: Int64)], in files: Descriptor, _ findings: Findings
    ) throws(FeedError) -> [Digest] {
        let filesAtOnce = filesAtOnce
        Crew.share((images.count + filesAtOnce - 1) / filesAtOnce, among: hashingThreads) { group in
            guard !findings.isCancelled else { return }
            let images = images[group * filesAtOnce..<min((group + 1) * filesAtOnce, images.count)]
            do throws(FeedError) {
                for (image, isIntact) in zip(images, try ImageFile.areIntact(images, in: files)) {
                    if !isIntact { findings.add(.success(image.digest)) }
                    findings.checked(max(0, image.size))
                }
            } catch {
                findings.add(.failure(error))
            }
        }
        guard !findings.isCancelled else { throw .cancelled }
        var damaged: [Digest] = []
        for finding in findings.all { damaged.append(try finding.get()) }
        return damaged
    }
}

/// What several threads find.
private final class Findings: Sendable {
    private struct State {
        var found: [Result<Digest, FeedError>] = []
        var progress: Progress
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let stream: ProgressStream?

    init(of count: Int, _ stream: ProgressStream?) {
        state = Mutex(State(progress: Progress(total: count)))
        self.stream = stream
    }

    func add(_ finding: Result<Digest, FeedError>) {
        state.withLock { state in
            state.found.append(finding)
            state.progress.failed += 1
        }
    }

    func checked(_ size: Int64) {
        let progress = state.withLock { state in
            state.progress.done += 1
            state.progress.bytes += size
            return state.progress
        }
        stream?.yield(progress)
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var all: [Result<Digest, FeedError>] { state.withLock { $0.found } }
}
