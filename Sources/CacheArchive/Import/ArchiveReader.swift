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

    private let input: Input
    private let reader: LibarchiveReader
    private var archive: OpaquePointer { reader.handle }
    /// What there may be but once, besides blobs.
    var seen: Set<String> = []
    /// The name and size of the entry that is being read.
    private(set) var name = ""
    private(set) var size: Int64 = 0

    init(_ source: any ByteSource) throws(FeedError) {
        let input = Input(try Decompressor(source))
        self.input = input
        reader = try LibarchiveReader { () throws(FeedError) in try input.next() }
        try reader.check(archive_read_support_format_tar(reader.handle))
        guard reader.open() == ARCHIVE_OK else { throw failure }
    }

    /// The next entry, of which name and type are known to be right; nil at the end.
    func next() throws(FeedError) -> Entry? {
        if Task.isCancelled { throw .cancelled }
        return try NamesInUTF8.during { () throws(FeedError) in try readEntry() }
    }

    private func readEntry() throws(FeedError) -> Entry? {
        var header: OpaquePointer?
        input.beginHeader(at: archive_filter_bytes(archive, 0))
        let status = archive_read_next_header(archive, &header)
        let isRead = status == ARCHIVE_OK || status == ARCHIVE_EOF
        let raw = input.endHeader(at: isRead ? archive_filter_bytes(archive, 0) : .max)
        let fault = EntryHeaders(raw).fault
        // What libarchive calls damage may be of such a kind; and a fault besides may only come of the damage.
        // A volume is no entry.
        if let label = fault?.label { name = label }
        guard isRead else {
            guard let fault, fault != .unreadable, reader.inputFailure == nil else { throw failure }
            throw fault.label == nil ? .invalidData("\(place)\(fault.reason)") : refused(fault.reason)
        }
        // At the end there is an entry too, an empty one.
        if status == ARCHIVE_EOF { header = nil }
        if let header, fault?.label == nil { name = try Self.name(of: header) }
        if let fault { throw refused(fault.reason) }
        guard let header else { return nil }
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

    /// The reader finds a name that comes twice, but not a blob: there are many, and the importer knows them.
    var repeated: FeedError { refused("there twice") }

    func refused(_ reason: String) -> FeedError { .invalidData("\(shownName): \(reason)") }

    /// A name may be as long as a header.
    private var shownName: String { name.shortened(to: 200) }

    /// Tells where an entry is that can't be read, and so has no name.
    private var place: String { name.isEmpty ? "" : "at or after \(shownName): " }

    static let empty = FeedError.invalidData("the archive is empty")

    private static let unknown = FeedError.invalidData(
        "no archive that feedsync knows (a tar, as it is or compressed by gzip or zstd), or one whose beginning is "
            + "damaged")

    private var failure: FeedError {
        guard reader.inputFailure != nil || archive_format(archive) != 0 else {
            return input.decompressor.isEmpty ? Self.empty : Self.unknown
        }
        return reader.failure(place)
    }
}

/// Where libarchive reads from, and what it has read of a header.
private final class Input {
    /// What precedes the bytes of an entry is far smaller. libarchive keeps it in memory, however much there is.
    private static let mostOfHeader = 4 << 20

    let decompressor: Decompressor
    /// The bytes that a header may still have; nil while none is read. libarchive reads the first one at once.
    private var left: Int? = mostOfHeader
    private var block = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where the block ends in the archive.
    private var end: Int64 = 0
    private var headerStart: Int64 = 0
    /// The header's bytes before those in the block.
    private var header: [UInt8] = []

    init(_ decompressor: Decompressor) { self.decompressor = decompressor }

    /// Nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        if let left {
            guard left > 0 else {
                let limit = ByteCount.text(Int64(Self.mostOfHeader))
                throw .invalidData("the header of an entry is larger than \(limit)")
            }
            header += headerBytes(to: end)
        }
        // Its bytes are gone, whether or not others come.
        block = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let next = try decompressor.next() else { return nil }
        block = next
        end += Int64(next.count)
        if let left { self.left = left - next.count }
        return next
    }

    func beginHeader(at start: Int64) {
        left = Self.mostOfHeader
        // At the beginning something may have been read.
        if start == headerStart { return }
        headerStart = start
        header = []
    }

    func endHeader(at headerEnd: Int64) -> [UInt8] {
        left = nil
        // libarchive may have looked at what comes behind it.
        return (header + headerBytes(to: headerEnd)).dropLast(max(0, Int(end) - block.count - Int(headerEnd)))
    }

    /// The header's bytes in the block.
    private func headerBytes(to headerEnd: Int64) -> UnsafeRawBufferPointer {
        let start = end - Int64(block.count)
        let from = min(max(headerStart, start), end)
        let to = min(max(headerEnd, from), end)
        return UnsafeRawBufferPointer(rebasing: block[Int(from - start)..<Int(to - start)])
    }
}
