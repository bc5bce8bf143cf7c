import FeedCore

struct GalleryCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to folder: String) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let report = GalleryText(folder: folder, report: try await session.gallery(of: cache).write(feeds, to: folder))
        // Before anything is written: who reads may take their time.
        await session.closeCaches()
        session.remark(report.summary)
        if session.settings.json { try session.write(report.json) }
        return .ok
    }
}

extension Session {
    func gallery(of cache: Cache) -> FeedGallery {
        let own = settings.feeds.map { ($0.url.key, $0.settings.maxAge) }
        return FeedGallery(
            cache: cache, at: cachePath, writer: toolbox.gallery, maxAge: settings.maxAge,
            maxAges: Dictionary(own) { first, _ in first }, lockWait: settings.lockWait, now: now)
    }
}
