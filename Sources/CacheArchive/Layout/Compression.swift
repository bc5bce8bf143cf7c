internal import CArchive

/// How an archive is compressed.
enum Compression: Hashable, Sendable {
    case none, gzip, xz, zstd

    private static let endings: [(String, Compression)] = [
        (".tar.gz", .gzip), (".tgz", .gzip), (".tar.xz", .xz), (".txz", .xz), (".tar.zst", .zstd), (".tzst", .zstd),
    ]

    /// The compression that the end of a file's name stands for.
    init(fileName: String) {
        let name = fileName.lowercased()
        self = Self.endings.first { name.hasSuffix($0.0) }?.1 ?? .none
    }

    /// One thread and fixed levels, so that the same goes in and out. Images hardly shrink: a higher level of xz would
    /// only take much more memory. `check` gets what libarchive says to each step.
    func choose<Failure>(for archive: OpaquePointer, _ check: (Int32) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .none: break
        case .gzip:
            try check(archive_write_add_filter_gzip(archive))
            try check(archive_write_set_filter_option(archive, "gzip", "compression-level", "6"))
            try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
        case .xz:
            try check(archive_write_add_filter_xz(archive))
            try check(archive_write_set_filter_option(archive, "xz", "compression-level", "3"))
            try check(archive_write_set_filter_option(archive, "xz", "threads", "1"))
        case .zstd:
            try check(archive_write_add_filter_zstd(archive))
            try check(archive_write_set_filter_option(archive, "zstd", "compression-level", "3"))
        }
    }
}
