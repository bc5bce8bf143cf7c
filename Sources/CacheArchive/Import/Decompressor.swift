internal import CArchive
internal import FeedCore

/// Decompresses an archive with libarchive's filters for gzip and zstd.
///
/// It is a separate reader below the one for the tar format, so that the decompressed bytes of a tar header can be
/// counted: libarchive keeps a header of any size in memory. An uncompressed archive needs no such reader.
final class Decompressor {
    private let input: CompressedInput
    private let reader: LibarchiveReader?
    /// Whether the archive is empty, before or after decompression.
    let isEmpty: Bool

    init(_ source: any ByteSource, blockSize: Int) throws(FeedError) {
        let input = try CompressedInput(source, blockSize: blockSize)
        self.input = input
        guard !input.isTar else {
            (reader, isEmpty) = (nil, false)
            return
        }
        if UnreadableFormat.isMarkup(input.beginning) {
            throw .invalidData("the file is XML or HTML, and no archive; `feedsync --opml FILE` reads a list of feeds")
        }
        if let name = UnreadableFormat.name(of: input.beginning) {
            throw .invalidData(
                "the archive is compressed with \(name), which feedsync does not read; it reads a tar archive, plain or "
                    + "compressed with gzip or zstd")
        }
        let reader = try LibarchiveReader { () throws(FeedError) in try input.next() }
        self.reader = reader
        try reader.check(archive_read_support_filter_gzip(reader.handle))
        try reader.check(archive_read_support_filter_zstd(reader.handle))
        try reader.check(archive_read_support_format_raw(reader.handle))
        try reader.check(archive_read_support_format_empty(reader.handle))
        try reader.check(reader.open())
        // The first filter passes the input on unchanged.
        guard archive_filter_count(reader.handle) <= 2 else {
            throw .invalidData("the archive is compressed more than once")
        }
        var entry: OpaquePointer?
        let status = archive_read_next_header(reader.handle, &entry)
        isEmpty = status == ARCHIVE_EOF
        if !isEmpty { try reader.check(status) }
    }

    /// Returns the next bytes, which stay valid until the next call, or nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        if isEmpty { return nil }
        guard let reader else { return try input.next() }
        var start: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        let status = archive_read_data_block(reader.handle, &start, &count, &offset)
        if status == ARCHIVE_EOF { return nil }
        try reader.check(status)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Skips up to `count` bytes after the last ones, and returns how many it skipped.
    func skip(_ count: Int64) -> Int64 { reader == nil ? input.skip(count) : 0 }
}

/// The compressed bytes of an archive, with the first bytes, which identify its format.
private final class CompressedInput {
    /// The mark of a tar archive, and its position in the first header.
    private static let tarMark = (position: 257, bytes: Array("ustar".utf8))

    private let source: any ByteSource
    private let block: UnsafeMutableRawBufferPointer
    private(set) var beginning: UnsafeRawBufferPointer
    private var hasBegun = false

    /// Waits for enough bytes to identify the format, because a pipe may deliver them one by one.
    init(_ source: any ByteSource, blockSize: Int) throws(FeedError) {
        self.source = source
        block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        beginning = UnsafeRawBufferPointer(rebasing: block[..<0])
        var count = 0
        while count < UnreadableFormat.longestSignature {
            let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: block[count...]))
            if read == 0 { break }
            count += read
        }
        beginning = UnsafeRawBufferPointer(rebasing: block[..<count])
    }

    deinit { block.deallocate() }

    /// Whether the first bytes are the header of an uncompressed tar archive.
    ///
    /// A header that arrives in pieces goes through the decompressor, which leaves it as it is.
    var isTar: Bool { beginning.dropFirst(Self.tarMark.position).starts(with: Self.tarMark.bytes) }

    /// Skips up to `count` bytes after the last ones, and returns how many it skipped.
    func skip(_ count: Int64) -> Int64 { hasBegun ? source.skip(count) : 0 }

    /// Returns the next bytes, or nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        guard hasBegun else {
            hasBegun = true
            return beginning
        }
        let count = try source.read(into: block)
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: block[..<count])
    }
}

/// The formats that an import recognises in order to name them in its error.
private enum UnreadableFormat {
    private static let signatures: [(name: String, bytes: [UInt8])] = [
        ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), ("bzip2", Array("BZh".utf8)), ("lz4", [0x04, 0x22, 0x4D, 0x18]),
        ("lzip", Array("LZIP".utf8)), ("lzma", [0x5D, 0, 0]), ("lzop", [0x89, 0x4C, 0x5A, 0x4F]),
        ("compress", [0x1F, 0x9D]), ("zip", [0x50, 0x4B, 3, 4]), ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        ("rar", Array("Rar!".utf8)),
    ]

    static let longestSignature = 6

    static func isMarkup(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0).first == UInt8(ascii: "<")
    }

    static func name(of bytes: UnsafeRawBufferPointer) -> String? {
        signatures.first { bytes.starts(with: $0.bytes) }?.name
    }
}
