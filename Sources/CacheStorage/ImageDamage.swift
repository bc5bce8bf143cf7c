internal import FeedCore
internal import SystemFiles

/// Damaged images go as those go that no feed names: the rows first, then the files.
extension ImageDirectory {
    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> ImageRemoval {
        try requireWritable(for: mode)
        let all = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            let referenced = try index.referencedDigests(besides: mode.feedsLeftOut)
            return try index.sizes().filter { referenced.contains($0.key) }.map { (digest: $0.key, size: $0.value) }
        }
        guard let files = folders.files else { return ImageRemoval(images: all.count, bytesFreed: 0) }
        let findings = DamageFindings(of: all.count, progress)
        let result = await withTaskCancellationHandler {
            Result { () throws(FeedError) in try Self.damaged(all, in: files, findings) }
        } onCancel: {
            findings.cancel()
        }
        let (damaged, kept) = try result.get()
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

    /// Answers also with what is told of those that nobody may read, and that are kept for that. Cancelled, it finds
    /// nothing: what is damaged is only deleted when all is known.
    private static func damaged(
        _ images: [(digest: Digest, size: Int64)], in files: Descriptor, _ findings: DamageFindings
    ) throws(FeedError) -> ([Digest], kept: FeedError?) {
        Crew.share(images.count, among: hashingThreads) { place in
            guard !findings.isCancelled else { return }
            let (digest, size) = images[place]
            do throws(FeedError) {
                findings.add(try ImageFile.condition(of: digest, size: size, in: files), of: digest)
                findings.checked(max(0, size))
            } catch {
                findings.fail(error)
            }
        }
        guard !findings.isCancelled else { throw .cancelled }
        return try findings.verdict()
    }
}
