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
    private let names = NamesInUTF8()
    /// Then what libarchive hands on is not what it was given.
    private let isCompressed: Bool
    private var name = ""

    init(_ compression: Compression, to target: any ByteTarget) throws(FeedError) {
        guard let archive = archive_write_new() else { throw Self.outOfMemory }
        guard let entry = archive_entry_new() else {
            archive_write_free(archive)
            throw Self.outOfMemory
        }
        self.archive = archive
        self.entry = entry
        isCompressed = compression != .none
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
        // Closing it frees more than freeing it does, and would write the end.
        output.isShut = true
        archive_write_close(archive)
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

    /// The chunk has to stay as it is until `flush`: it may be written only there.
    func write(lent chunk: UnsafeRawBufferPointer) throws(FeedError) {
        output.isLent = !isCompressed
        defer { output.isLent = false }
        try write(chunk)
    }

    private func write(_ chunk: UnsafeRawBufferPointer) throws(FeedError) {
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

    /// Sees to it that nothing that was lent is needed any more.
    func flush() throws(FeedError) { try output.flush() }

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

/// Gathers what comes, to be written much at a time: headers and padding are small. What isn't lent is copied.
private final class OutputBuffer {
    private static let mostPieces = 512

    private let target: any ByteTarget
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
    private var filled = 0
    /// What is to be written, in the block and elsewhere.
    private var pieces: [UnsafeRawBufferPointer] = []
    private(set) var failure: FeedError?
    /// What comes stays where it is until it is written.
    var isLent = false
    /// Nothing is taken any more.
    var isShut = false

    init(_ target: any ByteTarget) { self.target = target }

    deinit { block.deallocate() }

    /// False when writing failed.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isShut { return false }
        do throws(FeedError) {
            if isLent { try append(bytes) } else { try copy(bytes) }
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let place = UnsafeMutableRawBufferPointer(rebasing: block[filled...].prefix(rest.count))
            place.copyMemory(from: .init(rebasing: rest.prefix(place.count)))
            filled += place.count
            rest = rest.dropFirst(place.count)
            try append(UnsafeRawBufferPointer(place))
            if filled == block.count { try flush() }
        }
    }

    private func append(_ piece: UnsafeRawBufferPointer) throws(FeedError) {
        if let last = pieces.last, last.baseAddress.map({ $0 + last.count }) == piece.baseAddress {
            pieces[pieces.count - 1] = UnsafeRawBufferPointer(start: last.baseAddress, count: last.count + piece.count)
        } else {
            pieces.append(piece)
        }
        if pieces.count == Self.mostPieces { try flush() }
    }

    func flush() throws(FeedError) {
        if !pieces.isEmpty { try target.write(pieces) }
        pieces.removeAll(keepingCapacity: true)
        filled = 0
    }
}
