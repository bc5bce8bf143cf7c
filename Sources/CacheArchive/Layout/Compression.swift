internal import CArchive

/// How an archive is compressed.
enum Compression: Hashable, Sendable {
    case none, gzip, zstd

    private static let endings: [(String, Compression)] = [(".tar.gz", .gzip), (".tgz", .gzip), (".tar.zst", .zstd)]

    /// The compression that the end of a file's name stands for.
    init(fileName: String) {
        let name = fileName.lowercased()
        self = Self.endings.first { name.hasSuffix($0.0) }?.1 ?? .none
    }

    /// Chooses fixed levels, so that the same input gives the same bytes. Images hardly shrink at any level. `check` gets
    /// the code that libarchive returns at each step.
    func choose<Failure>(for archive: OpaquePointer, _ check: (Int32) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .none: break
        case .gzip:
            try check(archive_write_add_filter_gzip(archive))
            try check(archive_write_set_filter_option(archive, "gzip", "compression-level", "6"))
            try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
        case .zstd:
            try check(archive_write_add_filter_zstd(archive))
            try check(archive_write_set_filter_option(archive, "zstd", "compression-level", "3"))
        }
    }
}
