internal import CArchive
internal import FeedCore

/// Reads a tar archive front to back. What libarchive answers besides OK and the end is an error, also what it merely
/// warns of.
final class ArchiveReader {
    /// What may be in an archive.
    enum Entry: Hashable {
        case folder
        case layout, index
        case blob(Digest)
    }

    private let archive: OpaquePointer
    private let input: Input
    private let names = NamesInUTF8()
    /// What there may be but once, besides blobs.
    var seen: Set<String> = []
    /// Of the entry that is being read.
    private(set) var name = ""
    private(set) var size: Int64 = 0

    init(_ source: any ByteSource) throws(FeedError) {
        input = Input(try Decompressor(source))
        guard let archive = archive_read_new() else { throw .storage(.failed, "out of memory") }
        self.archive = archive
        try check(archive_read_support_format_tar(archive))
        let opened = archive_read_open(
            archive, Unmanaged.passUnretained(input).toOpaque(), nil,
            { archive, input, block in
                guard let input, let block else { return -1 }
                let reader = Unmanaged<Input>.fromOpaque(input).takeUnretainedValue()
                do throws(FeedError) {
                    let bytes = try reader.next()
                    block.pointee = bytes?.baseAddress
                    return bytes?.count ?? 0
                } catch {
                    reader.failure = error
                    feedsync_set_error(archive, -1, "reading failed")
                    return -1
                }
            }, nil)
        try check(opened)
    }

    deinit { archive_read_free(archive) }

    /// The next entry, of which name and type are known to be right; nil at the end.
    func next() throws(FeedError) -> Entry? {
        if Task.isCancelled { throw .cancelled }
        var header: OpaquePointer?
        input.left = Input.mostOfHeader
        defer { input.left = .max }
        switch archive_read_next_header(archive, &header) {
        case ARCHIVE_OK: break
        case ARCHIVE_EOF:
            try finish()
            return nil
        default: throw failure
        }
        guard let header else { throw failure }
        name = try Self.name(of: header)
        let isFolder = try isFolder(header)
        let entry = try self.entry(isFolder: isFolder)
        size = archive_entry_size(header)
        guard isFolder || (archive_entry_size_is_set(header) != 0 && size >= 0) else { throw refused("has no size") }
        guard !isFolder || size == 0 else { throw refused("a folder with data in it") }
        return entry
    }

    /// Visits the bytes of the entry, of which there are `size`.
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
                guard position == size else { throw refused("has \(position) bytes, where \(size) were announced") }
                return
            default: throw failure
            }
            guard count > 0 else { continue }
            guard offset == position else { throw refused("a sparse file") }
            position += Int64(count)
            guard position <= size else { throw refused("has more than the \(size) bytes announced") }
            try visit(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// Behind the end of a tar archive there may be zeros, and nothing else.
    private func finish() throws(FeedError) {
        let end = archive_filter_bytes(archive, 0)
        try input.decompressor.finish()
        guard input.decompressor.endOfContent <= end else {
            throw .invalidData("there is data after the end of the archive")
        }
    }

    /// There are many blobs: whether one was there before is known to who keeps them.
    var repeated: FeedError { refused("there twice") }

    func refused(_ reason: String) -> FeedError { .invalidData("\(shownName): \(reason)") }

    /// A name may be as long as a header.
    private var shownName: String { name.shortened(to: 200) }

    private func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure }
    }

    static let empty = FeedError.invalidData("the archive is empty")

    private static let unknown = FeedError.invalidData(
        "no archive that feedsync knows (a tar, as it is or compressed by gzip, xz or zstd), or one whose beginning is "
            + "damaged")

    private var failure: FeedError {
        if let failure = input.failure { return failure }
        guard archive_format(archive) != 0 else {
            return input.decompressor.isEmpty ? Self.empty : Self.unknown
        }
        let place = name.isEmpty ? "" : "at or after \(shownName): "
        return .invalidData("\(place)the archive is damaged or cut off: \(archive.errorText)")
    }
}

/// What libarchive reads, and why it can't.
private final class Input {
    /// What precedes the bytes of an entry is far smaller. libarchive keeps it in memory, however much there is.
    static let mostOfHeader = 4 << 20

    let decompressor: Decompressor
    var failure: FeedError?
    var left = Int.max

    init(_ decompressor: Decompressor) { self.decompressor = decompressor }

    /// Nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        guard left > 0 else {
            let limit = ByteCount.text(Int64(Self.mostOfHeader))
            throw .invalidData("the header of an entry is larger than \(limit)")
        }
        let block = try decompressor.next()
        if left < .max { left -= block?.count ?? 0 }
        return block
    }
}
