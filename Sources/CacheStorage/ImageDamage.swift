internal import FeedCore
internal import Synchronization
internal import SystemFiles

/// Damaged images go as those go that no feed names: the rows first, then the files.
extension ImageDirectory {
    /// Of each thread that hashes.
    private static var filesAtOnce: Int { min(64, max(1, OpenFileLimit.forImages / hashingThreads)) }

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
