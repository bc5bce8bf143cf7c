internal import CArchive
internal import FeedCore
internal import Hashing

/// How an archive is compressed.
enum Compression: Hashable, Sendable {
    case none, gzip, xz, zstd

    /// By the end of a file's name.
    init(fileName: String) {
        let name = fileName.lowercased()
        if name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz") {
            self = .gzip
        } else if name.hasSuffix(".tar.xz") || name.hasSuffix(".txz") {
            self = .xz
        } else if name.hasSuffix(".tar.zst") || name.hasSuffix(".tzst") {
            self = .zstd
        } else {
            self = .none
        }
    }
}

/// Writes a tar archive in which nothing depends on when, where and by whom it is written.
final class ArchiveWriter {
    private let archive: OpaquePointer
    private let entry: OpaquePointer
    private let output: OutputBuffer
    private var name = ""

    init(_ compression: Compression, to target: any ByteTarget) throws(FeedError) {
        guard let archive = archive_write_new() else { throw Self.outOfMemory }
        guard let entry = archive_entry_new() else {
            archive_write_free(archive)
            throw Self.outOfMemory
        }
        self.archive = archive
        self.entry = entry
        // The same for every entry.
        archive_entry_set_mode(entry, mode_t(feedsync_regular_file) | 0o444)
        archive_entry_set_mtime(entry, 0, 0)
        archive_entry_set_uid(entry, 0)
        archive_entry_set_gid(entry, 0)
        output = OutputBuffer(target)
        try check(archive_write_set_format_pax_restricted(archive))
        try setFilter(compression)
        // No padding: behind a compressed stream it would be data after its end.
        try check(archive_write_set_bytes_per_block(archive, 0))
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        let opened = archive_write_open(
            archive, Unmanaged.passUnretained(output).toOpaque(), nil,
            { archive, output, bytes, count in
                guard let output else { return -1 }
                let buffer = Unmanaged<OutputBuffer>.fromOpaque(output).takeUnretainedValue()
                if buffer.take(UnsafeRawBufferPointer(start: bytes, count: count)) { return count }
                feedsync_set_error(archive, -1, "writing failed")
                return -1
            }, nil)
        try check(opened)
    }

    deinit {
        // Else freeing it would try to write the end.
        archive_write_fail(archive)
        archive_write_free(archive)
        archive_entry_free(entry)
    }

    /// One thread and fixed levels, so that the same goes in and out. Images hardly shrink: a higher level of xz would
    /// only take much more memory.
    private func setFilter(_ compression: Compression) throws(FeedError) {
        switch compression {
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

    /// A regular file, whose bytes follow in chunks.
    func begin(_ name: String, size: Int64) throws(FeedError) {
        self.name = name
        archive_entry_set_pathname(entry, name)
        archive_entry_set_size(entry, size)
        try check(archive_write_header(archive, entry))
    }

    func write(_ chunk: [UInt8]) throws(FeedError) {
        try chunk.withUnsafeBufferPointer { bytes throws(FeedError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    func write(_ chunk: UnsafeRawBufferPointer) throws(FeedError) {
        guard !chunk.isEmpty else { return }
        let written = archive_write_data(archive, chunk.baseAddress, chunk.count)
        if written < 0 { throw failure }
        // It takes no more than the size that was announced.
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

    /// Everything but OK is a failure: what libarchive warns of is an archive that is not as it was asked for.
    private func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure }
    }

    private var failure: FeedError {
        if let failure = output.failure { return failure }
        return .storage(.failed, "the archive can't be written: \(archive.errorText)")
    }

    private static let outOfMemory = FeedError.storage(.failed, "the archive can't be written: out of memory")
}

/// Gathers what comes into blocks, all but the last of one size: headers and padding are small, and a file system takes
/// whole pages more easily than parts of them.
private final class OutputBuffer {
    private let target: any ByteTarget
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
    private var filled = 0
    private(set) var failure: FeedError?

    init(_ target: any ByteTarget) { self.target = target }

    deinit { block.deallocate() }

    /// False when writing failed.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(FeedError) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(block.count - filled)
                UnsafeMutableRawBufferPointer(rebasing: block[filled...]).copyMemory(from: .init(rebasing: part))
                filled += part.count
                if filled == block.count { try flush() }
                rest = rest.dropFirst(part.count)
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    func flush() throws(FeedError) {
        try target.write(UnsafeRawBufferPointer(rebasing: block[..<filled]))
        filled = 0
    }
}
