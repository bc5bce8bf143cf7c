internal import CArchive
internal import FeedCore
internal import Hashing

/// Writes a tar archive in which nothing depends on when, where and by whom it is written.
final class ArchiveWriter {
    private let archive: OpaquePointer
    private let entry: OpaquePointer
    private let output: Output
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
        output = Output(target)
        try check(archive_write_set_format_pax_restricted(archive))
        try compression.choose(for: archive, check)
        // An image goes to the target from where it lies: libarchive would copy it into a block first.
        try check(archive_write_set_bytes_per_block(archive, 0))
        // No padding: behind a compressed stream it would be data after its end.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        let opened = archive_write_open(
            archive, Unmanaged.passUnretained(output).toOpaque(), nil,
            { archive, target, bytes, count in
                guard let target else { return -1 }
                let output = Unmanaged<Output>.fromOpaque(target).takeUnretainedValue()
                if output.take(UnsafeRawBufferPointer(start: bytes, count: count)) { return count }
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

    /// A regular file, whose bytes follow in chunks.
    func begin(_ name: String, size: Int64) throws(FeedError) {
        self.name = name
        try NamesInUTF8.during { () throws(FeedError) in
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
        return .storage(.failed, "the archive can't be written: \(archive.errorText ?? "unknown reason")")
    }

    private static let outOfMemory = FeedError.storage(.failed, "the archive can't be written: out of memory")
}

/// Where libarchive writes to, and why it can't. Headers and padding are gathered, and go along with the next large piece.
private final class Output {
    private static let leastBytes = 8 << 10

    private let target: any ByteTarget
    private var small: [UInt8] = []
    private(set) var failure: FeedError?
    /// Nothing is taken any more.
    var isShut = false

    init(_ target: any ByteTarget) { self.target = target }

    /// False when writing failed.
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
