import FeedCore

struct ExportCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ file: String, _ feeds: [ResourceURL]) async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        let world = session.world
        if let path = ArchiveFile.path(file) { try session.requireElsewhere(path, for: "the archive") }
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

/// The FILE of an archive on the command line.
enum ArchiveFile {
    /// Nil: standard input or output.
    static func path(_ operand: String) -> String? { operand == "-" ? nil : operand }

    private static let written = [".tar.gz", ".tgz", ".tar.zst"]

    private static let notWritten = [
        ".7z", ".br", ".bz2", ".gz", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".taz", ".tbz", ".tbz2", ".tlz", ".txz",
        ".tzst", ".xz", ".z", ".zip", ".zst",
    ]

    /// Refuses a FILE to export to whose suffix promises another kind of archive than an export writes.
    static func checkSuffix(_ operand: String) throws(UsageError) {
        let name = operand.lowercased()
        guard !written.contains(where: name.hasSuffix), let suffix = notWritten.first(where: name.hasSuffix) else {
            return
        }
        throw UsageError(
            "'\(FeedOperand.shown(operand))': export does not write \(suffix) files",
            hint: "use .tar, .tar.gz, .tgz or .tar.zst")
    }
}
