internal import CArchive
internal import FeedCore
internal import Hashing

/// Writes a tar archive that is independent of the time, the machine and the user.
final class ArchiveWriter {
    private let archive: OpaquePointer
    private let entry: OpaquePointer
    private let output: ArchiveOutput
    private var name = ""

    init(_ compression: Compression, to target: any ByteTarget) throws(FeedError) {
        guard let archive = archive_write_new() else { throw Self.outOfMemory }
        guard let entry = archive_entry_new() else {
            archive_write_free(archive)
            throw Self.outOfMemory
        }
        self.archive = archive
        self.entry = entry
        // Every entry has the same metadata.
        archive_entry_set_mode(entry, mode_t(feedsync_regular_file) | 0o444)
        archive_entry_set_mtime(entry, 0, 0)
        archive_entry_set_uid(entry, 0)
        archive_entry_set_gid(entry, 0)
        output = ArchiveOutput(target)
        try check(archive_write_set_format_pax_restricted(archive))
        try compression.choose(for: archive, check)
        // A block size of 0 makes libarchive pass an image to the target directly instead of copying it.
        try check(archive_write_set_bytes_per_block(archive, 0))
        // Padding after a compressed stream would be data after its end.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        let opened = archive_write_open(
            archive, Unmanaged.passUnretained(output).toOpaque(), nil,
            { archive, target, bytes, count in
                guard let target else { return -1 }
                let output = Unmanaged<ArchiveOutput>.fromOpaque(target).takeUnretainedValue()
                if output.take(UnsafeRawBufferPointer(start: bytes, count: count)) { return count }
                feedsync_set_error(archive, -1, "writing failed")
                return -1
            }, nil)
        try check(opened)
    }

    deinit {
        // `archive_write_close` frees more than `archive_write_free`, and would also write the end of the archive.
        output.isShut = true
        archive_write_close(archive)
        archive_write_free(archive)
        archive_entry_free(entry)
    }

    /// Begins a regular file, whose bytes follow in chunks.
    func begin(_ name: String, size: Int64) throws(FeedError) {
        self.name = name
        try UTF8Locale.during { () throws(FeedError) in
            archive_entry_set_pathname(entry, name)
            archive_entry_set_size(entry, size)
            try check(archive_write_header(archive, entry))
        }
    }

    func write(_ chunk: [UInt8]) throws(FeedError) {
        try chunk.withUnsafeBufferPointer { bytes throws(FeedError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    func write(_ chunk: UnsafeRawBufferPointer) throws(FeedError) {
        guard !chunk.isEmpty else { return }
        let written = archive_write_data(archive, chunk.baseAddress, chunk.count)
        if written < 0 { throw failure }
        // libarchive accepts at most the announced size.
        guard written == chunk.count else { throw .storage(.failed, "\(name): has more bytes than it had before") }
    }

    func add(_ name: String, _ bytes: [UInt8]) throws(FeedError) {
        try begin(name, size: Int64(bytes.count))
        try write(bytes)
    }

    func finish() throws(FeedError) {
        try check(archive_write_close(archive))
        try output.flush()
    }

    /// Treats every code but OK as a failure, because a warning also means an archive that differs from the requested
    /// one.
    private func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure }
    }

    private var failure: FeedError {
        if let failure = output.failure { return failure }
        return .storage(.failed, "the archive can't be written: \(archive.errorText ?? "unknown reason")")
    }

    private static let outOfMemory = FeedError.storage(.failed, "the archive can't be written: out of memory")
}

/// The output of libarchive, and the reason why it failed.
///
/// Small pieces, such as headers and padding, are collected and written with the next large piece.
private final class ArchiveOutput {
    private static let leastBytes = 8 << 10

    private let target: any ByteTarget
    private var small: [UInt8] = []
    private(set) var failure: FeedError?
    /// Whether the output ignores all further bytes.
    var isShut = false

    init(_ target: any ByteTarget) { self.target = target }

    /// Takes bytes.
    ///
    /// Returns false if writing failed.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isShut { return false }
        do throws(FeedError) {
            if bytes.count < Self.leastBytes {
                small += bytes
                if small.count >= Self.leastBytes { try flush() }
            } else {
                try flush(with: bytes)
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    func flush() throws(FeedError) { try flush(with: UnsafeRawBufferPointer(start: nil, count: 0)) }

    private func flush(with bytes: UnsafeRawBufferPointer) throws(FeedError) {
        try small.withUnsafeBufferPointer { small throws(FeedError) in
            try target.write([UnsafeRawBufferPointer(small), bytes].filter { !$0.isEmpty })
        }
        small.removeAll(keepingCapacity: true)
    }
}

/// The compression of an archive.
enum Compression: Hashable, Sendable {
    case none, gzip, zstd

    private static let endings: [(String, Compression)] = [(".tar.gz", .gzip), (".tgz", .gzip), (".tar.zst", .zstd)]

    /// Chooses the compression by the suffix of a file name.
    init(fileName: String) {
        let name = fileName.lowercased()
        self = Self.endings.first { name.hasSuffix($0.0) }?.1 ?? .none
    }

    /// Configures libarchive with fixed levels, so that the same input gives the same bytes.
    ///
    /// Images hardly shrink at any level. `check` receives the code that libarchive returns at each step.
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
