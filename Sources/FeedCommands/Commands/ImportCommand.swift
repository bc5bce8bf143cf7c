import FeedCore

struct ImportCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ file: String) async throws(FeedError) -> ExitCode {
        // A file that is no archive shall not create a cache.
        let archive = try await session.world.openArchive(
            try session.world.output.openSource(ArchiveFile.path(file)))
        let terms = terms
        let cache = try await session.openCache(.write(lockWait: settings.lockWait))
        let report = try await session.showingProgress("importing", of: "image") { progress throws(FeedError) in
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try archive.merge(into: intake, terms) { progress?.yield($0) }
            }
        }
        // The reader of the output may be slow.
        await session.closeCaches()
        for feed in report.feeds { session.detail(ArchiveText.step(feed)) }
        session.remark(ArchiveText.summary(report))
        return .ok
    }

    private var terms: ImportTerms {
        var ownLimits: [ResourceURL.Key: ImportTerms.SizeLimits] = [:]
        for feed in settings.feeds.all {
            let own = feed.settings
            ownLimits[feed.url.key] = ImportTerms.SizeLimits(image: own.maxFileSize, document: own.maxFeedSize)
        }
        return ImportTerms(
            maxImageSize: settings.maxFileSize, maxDocumentSize: settings.maxFeedSize, ownLimits: ownLimits,
            isForced: settings.force, now: session.now())
    }
}
