internal import FeedCore
internal import Synchronization
internal import SystemFiles

/// Deletes damaged images in the same order as unreferenced ones: first the rows, then the files.
extension ImageDirectory {
    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let all = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            let referenced = try index.referencedDigests(except: mode.feedsLeftOut)
            return try index.sizes().filter { referenced.contains($0.key) }.map { (digest: $0.key, size: $0.value) }
        }
        guard let files = directories.files else { return ImageRemoval(images: all.count, bytesFreed: 0) }
        let search = DamageSearch(of: all.count, progress)
        await withTaskCancellationHandler {
            WorkerThreads.share(all.count, among: Self.hashingThreads) { job in
                search.add(all[job].digest, of: all[job].size, in: files)
            }
        } onCancel: {
            search.cancel()
        }
        let (damaged, kept) = try search.conclusion()
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
        return ImageRemoval(
            images: removal.imageCount, bytesFreed: removal.bytesFreed, failure: removal.failure ?? kept)
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
    /// It skips the check after a failure, because images are deleted only when all of them were checked.
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

    /// Returns the digests of the images to delete, and an error for the images that are kept although they can't be
    /// read.
    func conclusion() throws(FeedError) -> ([Digest], kept: FeedError?) {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        var damaged: [Digest] = []
        var lost: [SystemError] = []
        var forbidden: [SystemError] = []
        var hasRead = false
        for (digest, condition) in state.conditions {
            switch condition {
            case .intact: hasRead = true
            case .damaged(let wasRead):
                hasRead = hasRead || wasRead
                damaged.append(digest)
            case .unread(let error) where error.isForbidden: forbidden.append(error)
            case .unread(let error):
                lost.append(error)
                damaged.append(digest)
            }
        }
        let unread = lost.count + forbidden.count
        // A lost image is downloaded again. But if several images are lost and none can be read, the disk or its cable
        // is broken, and the images may be intact.
        if let lost = lost.first, unread > 1, !hasRead {
            throw lost.feedError(.failed)
                .adding("; not one of \(unread) images can be read, and none was deleted")
                .hinting("see to the disk; files that you delete from images/ are fetched again by the next sync")
        }
        let count = forbidden.count
        let fate = count == 1 ? "; the image is kept" : "; \(count) images can't be read, and are kept"
        return (damaged, forbidden.first?.feedError(.failed).adding(fate))
    }
}
