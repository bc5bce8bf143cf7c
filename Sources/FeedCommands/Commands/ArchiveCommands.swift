import FeedCore
import Synchronization

/// Takes archives into the cache, one after another.
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
        if settings.force, !settings.restore {
            throw .notFound("--force needs --restore, because a plain import only adds feeds").asMisuse()
        }
        var results = [ImportResult?](repeating: nil, count: files.count)
        let order = try await order(of: files, &results)
        for (place, file) in order.enumerated() {
            let opened = await open(files[file])
            if case .failure(let error) = opened {
                try add(.failure(error), of: file, in: files, to: &results)
                continue
            }
            try await session.withCache(session.saving) { cache throws(FeedError) in
                try await merge(order[place...], of: files, opened, into: cache, &results)
            }
            break
        }
        // The cache is closed by now, because a slow reader of the output must not keep other runs from it.
        let all = results.compactMap { $0 }
        if files.count == 1, let result = all.first { report(result, as: nil) }
        if !settings.restore { for hint in ArchiveText.hints(all.map(\.report)) { session.notice(hint) } }
        if settings.json { try session.write(ArchiveText.json(all)) }
        return all.lazy.compactMap(\.error).first.map(ExitCode.of) ?? .ok
    }

    /// Returns the indices of the archives in the order in which they are imported.
    ///
    /// Archives that are merged are read in the order in which they were written. One whose age can't be read fails.
    private func order(of files: [String], _ results: inout [ImportResult?]) async throws(FeedError) -> [Int] {
        guard settings.restore, files.count > 1 else { return Array(files.indices) }
        var ages: [(file: Int, age: ArchiveAge)] = []
        for (index, file) in files.enumerated() {
            do throws(FeedError) {
                let source = try session.world.output.openSource(file)
                if let reason = session.world.unreadable(file) {
                    throw .notFound("\(file): \(reason), and of several archives each must be a file")
                }
                ages.append((index, try await session.world.ageOfArchive(source, terms)))
            } catch {
                try add(.failure(error), of: index, in: files, to: &results)
            }
        }
        return ages.sorted { ($0.age, $0.file) < ($1.age, $1.file) }.map(\.file)
    }

    /// Merges the archive that is `opened`, the first of `order`, and those after it.
    ///
    /// The beginning of the next archive is read while one is merged.
    private func merge(
        _ order: ArraySlice<Int>, of files: [String], _ opened: Opened, into cache: Cache,
        _ results: inout [ImportResult?]
    ) async throws(FeedError) {
        var opened = opened
        for place in order.indices {
            async let next = place + 1 < order.endIndex ? open(files[order[place + 1]]) : nil
            let result = await Result { () async throws(FeedError) in
                let label = files.count == 1 ? "importing" : "importing \(place + 1) of \(files.count)"
                return try await merge(try opened.get(), into: cache, label)
            }
            try add(result, of: order[place], in: files, to: &results)
            if let next = await next { opened = next }
        }
    }

    /// Adds the result of one of several archives and reports it, unless the run was stopped.
    private func add(
        _ result: Result<ImportReport, FeedError>, of file: Int, in files: [String], to results: inout [ImportResult?]
    ) throws(FeedError) {
        let result = ImportResult(file: files[file], result)
        if let error = result.error, error.isCancellation { throw error }
        results[file] = result
        if files.count > 1 { report(result, as: result.file) }
    }

    private func report(_ result: ImportResult, as file: String?) {
        if let error = result.error { return session.report(LogLine(error)) }
        for feed in result.report.feeds { session.detail(ArchiveText.step(feed, restores: settings.restore)) }
        session.remark(ArchiveText.summary(result.report, file: file))
        if result.report.leftOut > 0 { session.notice(ArchiveText.leftOut(result)) }
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
        if session.settings.without.isEmpty { return nil }
        var contents: Set<Digest> = []
        for other in try olderArchives(than: file) {
            let source = try session.world.output.openSource(ArchiveFile.path(other))
            contents.formUnion(try await session.world.listArchive(source))
        }
        return contents
    }

    /// Returns the archives that `--without` means: those that it names, and all in the directories that it names, apart
    /// from the file to write.
    private func olderArchives(than file: String) throws(FeedError) -> [String] {
        func isFile(_ other: String) -> Bool {
            session.world.output.isSameFile(ArchiveFile.path(other), ArchiveFile.path(file))
        }
        var archives: [String] = []
        for other in session.settings.without {
            if let path = ArchiveFile.path(other), let names = try session.world.files(in: path) {
                archives += names.filter(ArchiveFile.hasSuffix).sorted().map { "\(path)/\($0)" }.filter { !isFile($0) }
                continue
            }
            guard !isFile(other) else {
                throw .notFound("\(other): FILE and --without name the same file").asMisuse()
            }
            archives.append(other)
        }
        return archives
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
