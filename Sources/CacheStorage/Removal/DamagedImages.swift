internal import FeedCore
internal import Synchronization
internal import SystemFiles

/// Moves damaged images to `damaged/` in the same order in which unreferenced ones are deleted: first the rows, then the
/// files.
extension ImageDirectory {
    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> DamageRemoval {
        try requireWritable(for: mode)
        let all = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            let referenced = try index.referencedDigests(mode)
            return try index.sizes().filter { referenced.contains($0.key) }.map { (digest: $0.key, size: $0.value) }
        }
        guard let files = directories.files else { return .nothing }
        let search = DamageSearch(of: all.count, progress)
        await withTaskCancellationHandler {
            WorkerThreads.share(all.count, among: Self.hashingThreads) { job in
                search.add(all[job].digest, of: all[job].size, in: files)
            }
        } onCancel: {
            search.cancel()
        }
        let (damaged, kept) = try search.conclusion()
        if damaged.isEmpty { return DamageRemoval(files: 0, images: [], failure: kept) }
        guard !mode.isDryRun else {
            let images = try await database.read { connection throws(FeedError) in
                try DamageRecords(connection: connection).references(to: damaged, mode)
            }
            return DamageRemoval(files: damaged.count, images: images, failure: kept)
        }
        let (images, moved, failure) = try await setAside(damaged, in: files)
        return DamageRemoval(
            files: moved.count, images: images.filter { moved.contains($0.digest) }, failure: failure ?? kept)
    }

    /// Moves the files to `damaged/`, and returns the URLs that lost their data, the files that were moved, and the
    /// first failure.
    private func setAside(
        _ damaged: Set<Digest>, in files: Descriptor
    ) async throws(FeedError) -> (images: [DamageRemoval.DamagedImage], moved: Set<Digest>, failure: FeedError?) {
        let lock = try await lockForDeleting()
        defer { withExtendedLifetime(lock) {} }
        let target = try attempt(.failed) { () throws(SystemError) in try directories.makeDamaged() }
        guard let target else { throw readOnly }
        let images = try await database.write { connection throws(FeedError) in
            let records = DamageRecords(connection: connection)
            let images = try records.references(to: damaged, .forReal)
            try records.add(images)
            try ImageIndex(connection: connection).delete(damaged)
            return images
        }
        var moved: Set<Digest> = []
        var failure: FeedError?
        for digest in damaged {
            do throws(SystemError) {
                // The file of an earlier damage is replaced.
                try target.removeAll(digest.hex)
                try files.rename(digest.hex, to: digest.hex, in: target)
                moved.insert(digest)
            } catch {
                failure = failure ?? error.feedError(.failed)
            }
        }
        return (images, moved, failure)
    }
}

/// The rows that remember the URLs of the files in `damaged/`.
struct DamageRecords {
    let connection: SQLiteConnection

    /// Returns each URL whose data is one of these files, once for each saved feed that sees it.
    func references(
        to damaged: Set<Digest>, _ mode: RemovalMode
    ) throws(FeedError) -> [DamageRemoval.DamagedImage] {
        var found: [(feed: Int64, url: String, digest: Digest)] = []
        try ImageIndex(connection: connection).forEachReference(mode) { feed, url, digest in
            if damaged.contains(digest) { found.append((feed, url, digest)) }
        }
        var feeds: [Int64: ResourceURL] = [:]
        let feed = try connection.statement("SELECT id, url FROM feeds")
        try feed.forEachRow { () throws(FeedError) in
            feeds[feed.integer(0)] = feed.text(1).flatMap(ResourceURL.init(stored:))
        }
        var seen: Set<DamageRemoval.DamagedImage> = []
        let images = found.compactMap { reference -> DamageRemoval.DamagedImage? in
            guard let feed = feeds[reference.feed], let url = ResourceURL(stored: reference.url) else { return nil }
            let image = DamageRemoval.DamagedImage(url: url, feed: feed, digest: reference.digest)
            return seen.insert(image).inserted ? image : nil
        }
        // Sorting keeps the order within a feed.
        return images.sorted { $0.feed.text < $1.feed.text }
    }

    func add(_ images: [DamageRemoval.DamagedImage]) throws(FeedError) {
        let row = try connection.statement("INSERT OR IGNORE INTO damaged (digest, url) VALUES (?1, ?2)")
        for image in images {
            try row.bind(1, image.digest)
            try row.bind(2, image.url.text)
            try row.run()
        }
    }

    /// Returns the files that are still of use: a saved feed references one of their URLs in an image without data.
    ///
    /// Data whose file is `missing` does not count.
    func needed(_ mode: RemovalMode, missing: Set<Digest>) throws(FeedError) -> Set<Digest> {
        let row = try connection.statement("SELECT digest, url FROM damaged")
        var damaged: [ExactText: [Digest]] = [:]
        try row.forEachRow { () throws(FeedError) in
            if let digest = row.digest(0), let url = row.text(1) { damaged[ExactText(url), default: []].append(digest) }
        }
        if damaged.isEmpty { return [] }
        let index = ImageIndex(connection: connection)
        var needed: Set<Digest> = []
        try index.forEachItem(mode) { feed, _, urls throws(FeedError) in
            let digests = urls.flatMap { damaged[ExactText($0)] ?? [] }
            guard !digests.isEmpty else { return }
            var found: StoredImage?
            for url in urls where found == nil { found = try index.find(url, of: feed.id) }
            if found.map({ missing.contains($0.digest) }) ?? true { needed.formUnion(digests) }
        }
        return needed
    }

    /// Deletes the rows of all other files.
    func delete(except needed: Set<Digest>) throws(FeedError) {
        let row = try connection.statement("SELECT DISTINCT digest FROM damaged")
        var old: [Digest] = []
        try row.forEachRow { () throws(FeedError) in
            if let digest = row.digest(0), !needed.contains(digest) { old.append(digest) }
        }
        let deletion = try connection.statement("DELETE FROM damaged WHERE digest = ?1")
        for digest in old {
            try deletion.bind(1, digest)
            try deletion.run()
        }
    }
}

/// Collects the results of several threads that look for damaged images.
private final class DamageSearch: Sendable {
    private struct State {
        var conditions: [(digest: Digest, condition: ImageFile.Condition)] = []
        var progress: Progress
        /// The failure that would also affect the next image.
        var failure: FeedError?
    }

    private let state: Mutex<State>
    private let stream: ProgressStream?

    init(of count: Int, _ stream: ProgressStream?) {
        state = Mutex(State(progress: Progress(total: count)))
        self.stream = stream
    }

    /// Checks one image.
    ///
    /// It skips the check after a failure, because images are moved only when all of them were checked.
    func add(_ digest: Digest, of size: Int64, in files: Descriptor) {
        guard state.withLock({ $0.failure == nil }) else { return }
        do throws(FeedError) {
            let condition = try ImageFile.condition(of: digest, size: size, in: files)
            let progress = state.withLock { state in
                state.conditions.append((digest, condition))
                if !condition.isIntact { state.progress.failed += 1 }
                state.progress.done += 1
                state.progress.bytes += max(0, size)
                return state.progress
            }
            stream?.yield(progress)
        } catch {
            fail(error)
        }
    }

    func cancel() { fail(.cancelled) }

    private func fail(_ error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// Returns the digests of the damaged files, and an error for the images that are kept although they can't be read.
    ///
    /// A missing image is left to the removal of unreferenced ones.
    func conclusion() throws(FeedError) -> (Set<Digest>, kept: FeedError?) {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        var damaged: Set<Digest> = []
        var lost: [SystemError] = []
        var forbidden: [SystemError] = []
        var hasRead = false
        for (digest, condition) in state.conditions {
            switch condition {
            case .intact: hasRead = true
            case .missing: continue
            case .damaged(let wasRead):
                hasRead = hasRead || wasRead
                damaged.insert(digest)
            case .unread(let error) where error.isForbidden: forbidden.append(error)
            case .unread(let error):
                lost.append(error)
                damaged.insert(digest)
            }
        }
        let unread = lost.count + forbidden.count
        // A lost image is downloaded again. But if several images are lost and none can be read, the disk or its cable
        // is broken, and the images may be intact.
        if let lost = lost.first, unread > 1, !hasRead {
            throw lost.feedError(.failed)
                .adding("; not one of \(unread) images can be read, and none was moved")
                .hinting("see to the disk; files that you delete from images/ are fetched again by the next sync")
        }
        let count = forbidden.count
        let fate = count == 1 ? "; the image is kept" : "; \(count) images can't be read, and are kept"
        return (damaged, forbidden.first?.feedError(.failed).adding(fate))
    }
}
