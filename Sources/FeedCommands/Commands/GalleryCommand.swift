import FeedCore

struct GalleryCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to folder: String) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let report = GalleryText(folder: folder, report: try await session.gallery(of: cache).write(feeds, to: folder))
        // The reader of the output may be slow.
        await session.closeCaches()
        session.remark(report.summary)
        if session.settings.json { try session.write(report.json) }
        return .ok
    }
}

extension Session {
    func gallery(of cache: Cache) -> GalleryRun {
        let gallery = FeedGallery(
            cache: cache, at: cachePath, writer: world.gallery, maxAge: { [settings] in settings.of($0).maxAge },
            lockWait: settings.lockWait, thumbnails: settings.thumbnails, now: now)
        return GalleryRun(session: self, gallery: gallery)
    }
}

/// Writes a gallery, and tells what of the cache could not be read for it.
struct GalleryRun {
    let session: Session
    let gallery: FeedGallery

    func write(_ feeds: [ResourceURL], to folder: String) async throws(FeedError) -> GalleryReport {
        let report = try await session.showingProgress("thumbnails", of: "picture") { progress throws(FeedError) in
            try await gallery.write(feeds, to: folder, progress: progress)
        }
        if let failure = report.thumbnailFailure { session.report(LogLine(failure)) }
        // A failing disk brings many of them.
        let told = session.settings.verbosity == .verbose ? report.unreadable[...] : report.unreadable.prefix(1)
        for problem in told { session.report(LogLine(problem)) }
        let rest = report.unreadable.count - told.count
        if rest > 0 {
            session.report("\(Phrases.count(rest, "more image")) of the cache can't be read; -v tells of each")
        }
        return report
    }
}
