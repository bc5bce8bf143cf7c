import FeedCore

/// Merges archives into the cache, one after another.
struct ImportCommand {
    private typealias Opened = Result<any OpenArchive, FeedError>

    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    /// Imports each archive. If one fails, the others are still imported.
    func run(_ files: [String]) async throws(FeedError) -> ExitCode {
        let isOne = files.count == 1
        if !isOne, files.contains("-") {
            throw .notFound("- is standard input, and must be the only FILE").asMisuse()
        }
        var cache: Cache?
        var firstFailure: FeedError?
        var opened = await open(files[0])
        for (index, file) in files.enumerated() {
            // The beginning of the next archive is read while this one is merged.
            async let next = index + 1 < files.count ? open(files[index + 1]) : nil
            // The cache is created only once there is a readable archive.
            if case .success = opened, cache == nil {
                cache = try await session.openCache(.write(lockWait: settings.lockWait))
            }
            do throws(FeedError) {
                let archive = try opened.get()
                guard let cache else { break }
                let label = isOne ? "importing" : "importing \(index + 1) of \(files.count)"
                let report = try await merge(archive, into: cache, label)
                // A single archive is reported after the cache is closed, because a reader of the output may be slow.
                // Each of several archives is reported at once.
                if isOne { await session.closeCaches() }
                reportResult(report, of: isOne ? nil : file)
            } catch {
                if isOne || error.isCancellation { throw error }
                session.report(LogLine(error))
                firstFailure = firstFailure ?? error
            }
            if let next = await next { opened = next }
        }
        return firstFailure.map(ExitCode.of) ?? .ok
    }

    private func open(_ file: String) async -> Opened {
        await Result { () async throws(FeedError) in
            try await session.world.openArchive(try session.world.output.openSource(ArchiveFile.path(file)))
        }
    }

    private func merge(
        _ archive: any OpenArchive, into cache: Cache, _ label: String
    ) async throws(FeedError) -> ImportReport {
        let terms = terms
        return try await session.showingProgress(label, of: "image") { progress throws(FeedError) in
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try archive.merge(into: intake, terms) { progress?.yield($0) }
            }
        }
    }

    private func reportResult(_ report: ImportReport, of file: String?) {
        for feed in report.feeds { session.detail(ArchiveText.step(feed)) }
        session.remark(ArchiveText.summary(report, file: file))
        if let hint = ArchiveText.restoreHint(report) { session.notice(hint) }
    }

    private var terms: ImportTerms {
        var ownLimits: [ResourceURL.Key: ImportTerms.SizeLimits] = [:]
        for feed in settings.feeds.all {
            let own = feed.settings
            ownLimits[feed.url.key] = ImportTerms.SizeLimits(
                image: own.maxFileSize, feed: FeedSizeLimit(bytes: own.maxFeedSize))
        }
        return ImportTerms(
            maxImageSize: settings.maxFileSize, maxFeedSize: FeedSizeLimit(bytes: settings.maxFeedSize),
            ownLimits: ownLimits, isForced: settings.force, restores: settings.restore, now: session.now())
    }
}

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
