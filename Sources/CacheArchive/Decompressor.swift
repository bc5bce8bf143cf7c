internal import CArchive
internal import FeedCore

/// Undoes an archive's compression, if it has one, and knows what comes after its end. The tar reader is given what this
/// delivers, for by itself it would not tell of data behind either end.
final class Decompressor {
    private static let blockSize = 256 * 1024
    /// Far more than any tar fills its last record up with.
    private static let mostPadding = 64 << 20

    private let archive: OpaquePointer
    private let input: Input
    private var position: Int64 = 0
    /// Behind the last byte that is not zero: a tar archive may end in any number of zeros.
    private(set) var endOfContent: Int64 = 0
    private var isAtEnd = false

    /// What libarchive reads from: it can't be told of errors of ours, and so they wait here.
    private final class Input {
        let source: any ByteSource
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
        var delivered: Int64 = 0
        /// Nil once it is known to be no gzip stream.
        var check: GzipCheck? = GzipCheck()
        var failure: FeedError?
        /// There is no more, and it was asked for.
        var isAtEnd = false

        init(_ source: any ByteSource) { self.source = source }

        deinit { block.deallocate() }

        /// 0 at the end, -1 on a failure.
        func read() -> Int {
            do throws(FeedError) {
                let count = try source.read(into: block)
                check?.addCompressed(UnsafeRawBufferPointer(rebasing: block[..<count]))
                delivered += Int64(count)
                isAtEnd = count == 0
                return count
            } catch {
                failure = error
                return -1
            }
        }
    }

    init(_ source: any ByteSource) throws(FeedError) {
        guard let archive = archive_read_new() else { throw .storage(.failed, "out of memory") }
        self.archive = archive
        input = Input(source)
        try check(archive_read_support_format_raw(archive))
        try check(archive_read_support_format_empty(archive))
        // Were libarchive built without one of these, it would warn that it means to run a program instead.
        try check(archive_read_support_filter_gzip(archive))
        try check(archive_read_support_filter_xz(archive))
        try check(archive_read_support_filter_zstd(archive))
        let opened = archive_read_open(
            archive, Unmanaged.passUnretained(input).toOpaque(), nil,
            { archive, input, block in
                guard let input, let block else { return -1 }
                let reader = Unmanaged<Input>.fromOpaque(input).takeUnretainedValue()
                let count = reader.read()
                block.pointee = UnsafeRawPointer(reader.block.baseAddress)
                if count < 0 { feedsync_set_error(archive, -1, "reading failed") }
                return count
            }, nil)
        try check(opened)
        if archive_filter_code(archive, 0) != ARCHIVE_FILTER_GZIP { input.check = nil }
        // One of them is the input itself.
        guard archive_filter_count(archive) <= 2 else {
            throw .invalidData("the archive is compressed more than once")
        }
        var entry: OpaquePointer?
        switch archive_read_next_header(archive, &entry) {
        case ARCHIVE_OK: break
        case ARCHIVE_EOF: isAtEnd = true
        default: throw failure
        }
    }

    deinit { archive_read_free(archive) }

    /// There was nothing in it.
    var isEmpty: Bool { isAtEnd && position == 0 }

    /// The next bytes, valid until the one after them is asked for; nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        // An empty block, should there be one, is no end.
        while !isAtEnd {
            var start: UnsafeRawPointer?
            var count = 0
            var offset: Int64 = 0
            switch archive_read_data_block(archive, &start, &count, &offset) {
            case ARCHIVE_OK where count > 0:
                let block = UnsafeRawBufferPointer(start: start, count: count)
                if let last = block.lastIndex(where: { $0 != 0 }) { endOfContent = position + Int64(last) + 1 }
                position += Int64(count)
                input.check?.add(block)
                return block
            case ARCHIVE_OK: continue
            case ARCHIVE_EOF: isAtEnd = true
            default: throw failure
            }
        }
        return nil
    }

    /// To be called when nothing more is wanted: reads to the end, and throws unless that is where it should be.
    func finish() throws(FeedError) {
        var padding = 0
        while let block = try next() {
            padding += block.count
            // Endless zeros compress to next to nothing.
            guard padding <= Self.mostPadding else {
                throw .invalidData("there are more than \(Self.mostPadding >> 20) MiB after the end of the archive")
            }
        }
        // What the decompression left of the input. Before the check, which is taken from the end of that.
        guard archive_filter_bytes(archive, -1) == input.delivered else { throw Self.trailing }
        let more = input.read()
        if let failure = input.failure { throw failure }
        guard more == 0 else { throw Self.trailing }
        if input.check?.fails == true {
            throw .invalidData("the archive is damaged: its gzip checksum doesn't match")
        }
    }

    private static let trailing = FeedError.invalidData("there is data after the end of the compressed archive")

    private func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure }
    }

    private var failure: FeedError {
        if let failure = input.failure { return failure }
        let isGzip = archive_filter_code(archive, 0) == ARCHIVE_FILTER_GZIP
        // A few bytes behind the end of an xz or zstd stream look like the beginning of another one.
        let trailing = isGzip ? "" : ", or there is data after its end"
        // Of this libarchive has nothing to say, or what only zlib's and liblzma's authors understand.
        if input.isAtEnd { return .invalidData("the archive is cut off\(trailing)") }
        return .invalidData("the archive is damaged or cut off\(trailing): \(archive.errorText)")
    }
}

extension OpaquePointer {
    /// What libarchive says of the last failure of an archive.
    var errorText: String { archive_error_string(self).map { String(cString: $0) } ?? "unknown reason" }
}
