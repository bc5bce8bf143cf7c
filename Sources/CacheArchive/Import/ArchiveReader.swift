internal import CArchive
internal import FeedCore

/// Reads a tar archive from front to back with libarchive.
///
/// The type of an entry is the type that libarchive reports. Every result of libarchive except OK and the end of the
/// archive is an error, and so is a warning.
final class ArchiveReader {
    /// The entries that an archive may contain.
    enum Member: Hashable {
        case directory
        case layout, index
        case blob(Digest)
    }

    private let input: TarInput
    private let reader: LibarchiveReader
    private var archive: OpaquePointer { reader.handle }
    /// The paths of all previous entries except blobs.
    private var seen: Set<String> = []
    /// The name of the current entry.
    private var name = ""
    /// The size of the current entry.
    private(set) var size: Int64 = 0
    /// Whether the archive ended with an end marker, which is two blocks of zeros.
    ///
    /// libarchive also reads an archive that lacks it, because some programs omit it.
    private(set) var hasEndMarker = false
    private static let endMarkerSize: Int64 = 1024

    /// Opens an archive.
    ///
    /// If only its list of contents is read, small blocks leave out most of the data of the entries.
    init(_ source: any ByteSource, onlyList: Bool = false) throws(FeedError) {
        let input = TarInput(try Decompressor(source, blockSize: onlyList ? 8 << 10 : 256 << 10))
        self.input = input
        reader = try LibarchiveReader(skip: { input.skip($0) }) { () throws(FeedError) in try input.next() }
        try reader.check(archive_read_support_format_tar(reader.handle))
        guard reader.open() == ARCHIVE_OK else { throw failure }
    }

    /// Returns the next entry after checking its name and type, or nil at the end.
    func next() throws(FeedError) -> Member? {
        if Task.isCancelled { throw .cancelled }
        return try UTF8Locale.during { () throws(FeedError) in try readEntry() }
    }

    private func readEntry() throws(FeedError) -> Member? {
        let start = archive_filter_bytes(archive, 0)
        var header: OpaquePointer?
        let status = input.limitingHeader { archive_read_next_header(archive, &header) }
        if status == ARCHIVE_EOF {
            hasEndMarker = archive_filter_bytes(archive, 0) >= start + Self.endMarkerSize
            return nil
        }
        guard status == ARCHIVE_OK, let header else { throw failure }
        name = try Self.name(of: header)
        let isDirectory = try isDirectory(header)
        let entry = try entry(isDirectory: isDirectory)
        size = archive_entry_size(header)
        guard isDirectory || (archive_entry_size_is_set(header) != 0 && size >= 0) else { throw refused("has no size") }
        guard !isDirectory || size == 0 else { throw refused("is a directory that contains data") }
        return entry
    }

    private static func name(of header: OpaquePointer) throws(FeedError) -> String {
        guard let name = archive_entry_pathname(header) ?? archive_entry_pathname_utf8(header) else {
            throw .invalidData("an entry has a name that can't be read")
        }
        return String(cString: name)
    }

    private func isDirectory(_ header: OpaquePointer) throws(FeedError) -> Bool {
        // A hard link can also have the type of a file.
        if archive_entry_hardlink(header) != nil { throw refused("is a hard link") }
        switch UInt32(archive_entry_filetype(header)) {
        case feedsync_directory: return true
        case feedsync_regular_file: break
        case feedsync_symbolic_link: throw refused("is a symbolic link")
        case feedsync_fifo: throw refused("is a FIFO")
        case feedsync_character_device, feedsync_block_device: throw refused("is a device")
        default: throw refused("is neither a file nor a directory")
        }
        guard archive_entry_sparse_count(header) == 0 else { throw refused("is a sparse file") }
        return false
    }

    private func entry(isDirectory: Bool) throws(FeedError) -> Member {
        if !isDirectory, let blob = OCILayout.blob(named: name) { return .blob(blob) }
        guard !name.hasPrefix("/") else { throw refused("has an absolute path") }
        var parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains("..") else { throw refused("has .. in its path") }
        if parts.first == ".", parts.count > 1 { parts.removeFirst() }
        // The name of a directory may end in a slash.
        if isDirectory, parts.last == "" { parts.removeLast() }
        let path = parts.joined(separator: "/")
        let entry: Member? =
            switch (isDirectory, path) {
            case (true, ""), (true, "."), (true, "blobs"), (true, OCILayout.blobDirectory): .directory
            case (false, OCILayout.layoutFile): .layout
            case (false, OCILayout.indexFile): .index
            default: nil
            }
        guard let entry else { throw refused("does not belong in an archive of feedsync") }
        guard seen.insert(path == "." ? "" : path).inserted else { throw repeated }
        return entry
    }

    /// Returns the bytes of the current entry, which is one of the lists that an archive contains.
    func list() throws(FeedError) -> [UInt8] {
        guard size <= OCILayout.largestList else { throw refused(OCILayout.tooLarge) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(size))
        try forEachChunk { chunk in bytes += chunk }
        return bytes
    }

    /// Returns the bytes of the current entry; none unless they begin like a JSON object.
    func jsonText() throws(FeedError) -> [UInt8] {
        var bytes: [UInt8] = []
        var isJSON: Bool?
        try forEachChunk { chunk in
            let begins = isJSON ?? (chunk.first == UInt8(ascii: "{"))
            if begins { bytes += chunk }
            isJSON = begins
        }
        return bytes
    }

    /// Skips the bytes of the current entry.
    func skipData() throws(FeedError) {
        guard archive_read_data_skip(archive) == ARCHIVE_OK else { throw failure }
    }

    /// Visits the bytes of the current entry, of which there are `size`.
    func forEachChunk(_ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void) throws(FeedError) {
        var position: Int64 = 0
        while true {
            if Task.isCancelled { throw .cancelled }
            var start: UnsafeRawPointer?
            var count = 0
            var offset: Int64 = 0
            switch archive_read_data_block(archive, &start, &count, &offset) {
            case ARCHIVE_OK: break
            case ARCHIVE_EOF:
                guard position == size else { throw refused("has \(position) bytes, and its header says \(size)") }
                return
            default: throw failure
            }
            guard count > 0 else { continue }
            guard offset == position else { throw refused("is a sparse file") }
            position += Int64(count)
            guard position <= size else { throw refused("has more than the \(size) bytes that its header says") }
            try visit(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// The error for a name that appears twice.
    ///
    /// The reader finds repeated names itself, except for the many names of blobs, which the importer has in a list.
    var repeated: FeedError { refused("appears twice") }

    func refused(_ reason: String) -> FeedError { .invalidData("\(shownName): \(reason)") }

    /// The name for messages, which is shortened because a name may be as long as a header.
    private var shownName: String { name.shortened(to: 200) }

    static let empty = FeedError.invalidData("the archive is empty")

    private static let unknown = FeedError.invalidData(
        "the file is no archive that feedsync knows (a tar archive, plain or compressed with gzip or zstd), or its "
            + "beginning is damaged")

    private var failure: FeedError {
        guard reader.inputFailure != nil || archive_format(archive) != 0 else {
            return input.isEmpty ? Self.empty : Self.unknown
        }
        return reader.failure(name.isEmpty ? "" : "at or after \(shownName): ")
    }
}

/// The decompressed bytes of an archive.
///
/// The size of a header is limited, because libarchive keeps a header in memory, including its list of holes.
private final class TarInput {
    private static let maximumOfHeader = 4 << 20

    private let decompressor: Decompressor
    /// The number of bytes that the current header may still take, or nil between headers.
    ///
    /// libarchive reads the first header when it opens the archive.
    private var remaining: Int? = maximumOfHeader

    init(_ decompressor: Decompressor) { self.decompressor = decompressor }

    var isEmpty: Bool { decompressor.isEmpty }

    func limitingHeader(_ read: () -> Int32) -> Int32 {
        remaining = Self.maximumOfHeader
        defer { remaining = nil }
        return read()
    }

    /// Returns the next bytes, or nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        if let remaining, remaining <= 0 {
            throw .invalidData(
                "the header of an entry is larger than \(ByteCount.text(Int64(Self.maximumOfHeader)))")
        }
        guard let block = try decompressor.next() else { return nil }
        remaining = remaining.map { $0 - block.count }
        return block
    }

    /// Skips up to `count` bytes after the last block, and returns how many it skipped.
    func skip(_ count: Int64) -> Int64 { decompressor.skip(count) }
}
