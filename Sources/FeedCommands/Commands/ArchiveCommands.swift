import FeedCore
import Synchronization

/// Merges archives into the cache, one after another.
struct ImportCommand {
    private typealias Opened = Result<any OpenArchive, FeedError>

    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    /// Imports each archive.
    ///
    /// If one fails, the others are still imported. The cache is created only once there is a readable archive.
    func run(_ files: [String]) async throws(FeedError) -> ExitCode {
        if files.count > 1, files.contains("-") {
            throw .notFound("- is standard input, and must be the only FILE").asMisuse()
        }
        var results: [ImportResult] = []
        for (index, file) in files.enumerated() {
            let opened = await open(file)
            if case .failure(let error) = opened {
                try add(ImportResult(file: file, .failure(error)), to: &results, of: files)
                continue
            }
            try await session.withCache(session.saving) { cache throws(FeedError) in
                try await merge(files, from: index, opened, into: cache, &results)
            }
            break
        }
        // The cache is closed by now, because a slow reader of the output must not keep other runs from it.
        if files.count == 1, let result = results.first { report(result, as: nil) }
        if settings.json { try session.write(ArchiveText.json(results)) }
        return results.lazy.compactMap(\.error).first.map(ExitCode.of) ?? .ok
    }

    /// Merges the archive that is `opened`, at `first`, and those after it.
    ///
    /// The beginning of the next archive is read while one is merged.
    private func merge(
        _ files: [String], from first: Int, _ opened: Opened, into cache: Cache, _ results: inout [ImportResult]
    ) async throws(FeedError) {
        var opened = opened
        for index in first..<files.count {
            let file = files[index]
            async let next = index + 1 < files.count ? open(files[index + 1]) : nil
            let result = await Result { () async throws(FeedError) in
                let label = files.count == 1 ? "importing" : "importing \(index + 1) of \(files.count)"
                return try await merge(try opened.get(), into: cache, label)
            }
            try add(ImportResult(file: file, result), to: &results, of: files)
            if let next = await next { opened = next }
        }
    }

    /// Adds the result of one of several archives and reports it, unless the run was stopped.
    private func add(
        _ result: ImportResult, to results: inout [ImportResult], of files: [String]
    ) throws(FeedError) {
        if let error = result.error, error.isCancellation { throw error }
        results.append(result)
        if files.count > 1 { report(result, as: result.file) }
    }

    private func report(_ result: ImportResult, as file: String?) {
        if let error = result.error { return session.report(LogLine(error)) }
        for feed in result.report.feeds { session.detail(ArchiveText.step(feed)) }
        session.remark(ArchiveText.summary(result.report, file: file))
        if let hint = ArchiveText.restoreHint(result.report) { session.notice(hint) }
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
        let world = session.world
        if let path = ArchiveFile.path(file) { try session.requireOutsideCache(path, for: "the archive") }
        let leftOut = try await contentsOfOlderArchives(than: file)
        let lockWait = session.settings.lockWait
        let (report, size) = try await session.withExistingCache { cache throws(FeedError) in
            try await session.showingProgress("exporting", of: "image") { progress throws(FeedError) in
                try await cache.transfer.read(lockWait: lockWait) { snapshot throws(FeedError) in
                    let target = MeasuredTarget(try world.output.openTarget(ArchiveFile.path(file)))
                    let report = try world.export(
                        feeds, snapshot, to: target, fileName: file, without: leftOut
                    ) { progress?.yield($0) }
                    return (report, target.size)
                }
            }
        }
        session.remark(ArchiveText.summary(report, file: file))
        if session.settings.json, file != "-" { try session.write(ArchiveText.json(report, file: file, size: size)) }
        return .ok
    }

    /// Returns the digests that the archives of `--without` contain; nil without this option.
    private func contentsOfOlderArchives(than file: String) async throws(FeedError) -> Set<Digest>? {
        let older = session.settings.without
        if older.isEmpty { return nil }
        let output = session.world.output
        for other in older where output.isSameFile(ArchiveFile.path(other), ArchiveFile.path(file)) {
            throw .notFound("\(other): FILE and --without name the same file").asMisuse()
        }
        var contents: Set<Digest> = []
        for other in older {
            contents.formUnion(try await session.world.listArchive(try output.openSource(ArchiveFile.path(other))))
        }
        return contents
    }
}

/// A target that counts its bytes.
private final class MeasuredTarget: ByteTarget {
    private let target: any ByteTarget
    private let written = Mutex<Int64>(0)

    init(_ target: any ByteTarget) { self.target = target }

    var size: Int64 { written.withLock { $0 } }

    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try target.write(pieces)
        let count = pieces.reduce(0) { $0 + $1.count }
        written.withLock { $0 += Int64(count) }
    }

    func commit() throws(FeedError) { try target.commit() }
}
