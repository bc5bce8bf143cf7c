internal import FeedCore
internal import Glibc
internal import Synchronization

/// Deleting goes the other way round than publishing: the rows first, committed, then the files that no row names. A
/// crash between the two leaves files without rows, which the next removal finds.
extension ImageDirectory {
    static let hashingThreads = 2
    private static let filesAtOnce = 64

    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        let (dryRun, feedsLeftOut) =
            switch mode {
            case .forReal: (false, [ResourceURL]())
            case .dryRun(let feeds): (true, feeds)
            }
        let lock = dryRun ? nil : try await lockForDeleting()
        defer { withExtendedLifetime(lock) {} }
        guard let files = folders.files else { return .nothing }

        let (count, referenced) = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            return (try index.totals().count, try index.referencedDigests(besides: feedsLeftOut))
        }
        let (kept, missing) = try attempt(.failed) { () throws(SystemError) in try Self.sort(referenced, in: files) }
        if !dryRun {
            try await database.write { connection throws(FeedError) in
                let index = ImageIndex(connection: connection)
                try index.deleteUnreferenced()
                for digest in missing { try index.delete(digest) }
                try FailureMemory(connection: connection).forgetUnreferenced()
            }
        }
        let freed = try attempt(.failed) { () throws(SystemError) in
            var freed = try Self.clear(files, keeping: kept, dryRun: dryRun)
            if let incoming = folders.incoming { freed += try Self.clear(incoming, keeping: [], dryRun: dryRun) }
            return freed
        }
        return ImageRemoval(images: count - kept.count, bytesFreed: freed)
    }

    func removeDamaged(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        let dryRun = mode != .forReal
        let lock = dryRun ? nil : try await lockForDeleting()
        defer { withExtendedLifetime(lock) {} }
        guard let files = folders.files else { return .nothing }

        let all = try await database.read { connection throws(FeedError) in
            try ImageIndex(connection: connection).digests()
        }
        let damaged = try Self.damaged(all, in: files)
        if !dryRun && !damaged.isEmpty {
            try await database.write { connection throws(FeedError) in
                let index = ImageIndex(connection: connection)
                for digest in damaged { try index.delete(digest) }
            }
        }
        let freed = try attempt(.failed) { () throws(SystemError) in
            var freed: Int64 = 0
            for digest in damaged {
                freed += dryRun ? try files.size(of: digest.hex) : try files.removeAll(digest.hex)
            }
            return freed
        }
        return ImageRemoval(images: damaged.count, bytesFreed: freed)
    }

    /// Keeps out whoever reads many images and relies on their staying: an export, a gallery.
    private func lockForDeleting() async throws(FeedError) -> Descriptor {
        guard staging != nil, let images = folders.images else { throw readOnly }
        // A description of its own, for a lock belongs to that.
        let lock = try attempt(.failed) { () throws(SystemError) in try images.open(".", O_RDONLY | O_DIRECTORY) }
        try await wait.lock(lock, cache: path)
        return lock
    }

    private static func sort(
        _ digests: [Digest], in files: Descriptor
    ) throws(SystemError) -> (kept: Set<Digest>, missing: [Digest]) {
        var kept: Set<Digest> = []
        var missing: [Digest] = []
        for digest in digests {
            if try files.status(of: digest.hex)?.isFile == true { kept.insert(digest) } else { missing.append(digest) }
        }
        return (kept, missing)
    }

    /// Deletes what isn't named by one of the digests, and answers how many bytes that was.
    private static func clear(
        _ folder: Descriptor, keeping kept: Set<Digest>, dryRun: Bool
    ) throws(SystemError) -> Int64 {
        var leftovers: [[CChar]] = []
        try folder.forEachName { name throws(SystemError) in
            if let digest = Digest(hex: String(cString: name)), kept.contains(digest) { return }
            leftovers.append(Descriptor.copy(name))
        }
        var freed: Int64 = 0
        for name in leftovers { freed += dryRun ? try folder.size(of: name) : try folder.removeAll(name) }
        return freed
    }

    /// Cancelled, it finds nothing: what is damaged is only deleted when all is known.
    private static func damaged(
        _ images: [(digest: Digest, size: Int64)], in files: Descriptor
    ) throws(FeedError) -> [Digest] {
        var damaged: [Digest] = []
        for start in stride(from: 0, to: images.count, by: hashingThreads * filesAtOnce) {
            if Task.isCancelled { throw .cancelled }
            let part = images[start..<min(start + hashingThreads * filesAtOnce, images.count)]
            damaged += try damagedAtOnce(part, in: files)
        }
        return damaged
    }

    private static func damagedAtOnce(
        _ images: ArraySlice<(digest: Digest, size: Int64)>, in files: Descriptor
    ) throws(FeedError) -> [Digest] {
        let findings = Findings()
        Crew.share(hashingThreads, among: hashingThreads) { thread in
            let images = images.dropFirst(thread * filesAtOnce).prefix(filesAtOnce)
            do throws(FeedError) {
                let areIntact = try ImageFile.areIntact(images, in: files)
                findings.add(.success(zip(images, areIntact).filter { !$0.1 }.map(\.0.digest)))
            } catch {
                findings.add(.failure(error))
            }
        }
        return try findings.digests()
    }
}

/// What several threads find.
private final class Findings: Sendable {
    private let found = Mutex<[Result<[Digest], FeedError>]>([])

    func add(_ finding: Result<[Digest], FeedError>) { found.withLock { $0.append(finding) } }

    func digests() throws(FeedError) -> [Digest] {
        var digests: [Digest] = []
        for finding in found.withLock({ $0 }) { digests += try finding.get() }
        return digests
    }
}
