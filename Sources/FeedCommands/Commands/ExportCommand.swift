import FeedCore

/// Writes feeds and their images as an archive.
struct ExportCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ file: String, _ feeds: [ResourceURL]) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let world = session.world
        if let path = ArchiveFile.path(file) { try session.requireOutsideCache(path, for: "the archive") }
        let lockWait = session.settings.lockWait
        let report = try await session.showingProgress("exporting", of: "image") { progress throws(FeedError) in
            try await cache.transfer.read(lockWait: lockWait) { snapshot throws(FeedError) in
                let target = try world.output.openTarget(ArchiveFile.path(file))
                return try world.export(feeds, snapshot, to: target, fileName: file) { progress?.yield($0) }
            }
        }
        session.remark(ArchiveText.summary(report, file: file))
        return .ok
    }
}
