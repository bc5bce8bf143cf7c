import FeedCore

/// Writes the saved feeds as a static web site.
struct GalleryCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL], to directory: String) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let report = try await session.gallery(of: cache).write(
            feeds, to: directory, replacesForeign: session.settings.force)
        let text = GalleryText(directory: directory, report: report)
        // The cache is closed first, because a reader of the output may be slow.
        await session.closeCaches()
        session.remark(text.summary)
        if session.settings.json { try session.write(text.json) }
        return .ok
    }
}

extension Session {
    func gallery(of cache: Cache) -> GalleryUpdate {
        let gallery = FeedGallery(
            cache: cache, writer: world.gallery, maxAge: { [settings] in settings.of($0).maxAge }, now: now)
        return GalleryUpdate(session: self, gallery: gallery)
    }

    func outputTarget(_ directory: String) -> OutputTarget {
        OutputTarget(path: directory, cache: cachePath, lockWait: settings.lockWait)
    }
}

/// Writes a gallery, and reports the images of the cache that could not be read.
struct GalleryUpdate {
    let session: Session
    let gallery: FeedGallery

    /// Writes the gallery of `feeds`. `used` is the part of `--max-time` that has already passed.
    func write(
        _ feeds: [ResourceURL], to directory: String, replacesForeign: Bool = false, used: Duration = .zero
    ) async throws(FeedError) -> GalleryReport {
        let options = GalleryOptions(thumbnails: session.settings.thumbnails, replacesForeign: replacesForeign)
        let report = try await session.withinMaxTime("the gallery \(directory)", used: used) {
            [session, gallery] () async throws(FeedError) in
            try await session.showingProgress("thumbnails", of: "image") { progress throws(FeedError) in
                try await gallery.write(feeds, to: session.outputTarget(directory), options, progress: progress)
            }
        }
        if let failure = report.thumbnailFailure { session.report(LogLine(failure)) }
        // One failing disk causes many failures, so only the first is printed without `--verbose`.
        let shown = session.settings.verbosity == .verbose ? report.unreadable[...] : report.unreadable.prefix(1)
        for problem in shown { session.report(LogLine(problem)) }
        let rest = report.unreadable.count - shown.count
        if rest > 0 {
            session.report("\(Phrases.count(rest, "more image")) of the cache can't be read; -v shows each")
        }
        return report
    }
}
