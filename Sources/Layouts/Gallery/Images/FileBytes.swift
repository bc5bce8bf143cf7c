internal import FeedCore

/// A file, read where it is looked at, a piece at a time: what a header says may be far from the beginning.
struct FileBytes {
    private static let pieceSize = 4096
    /// A header of more parts than this is an attempt to keep us busy.
    static let mostParts = 1000

    let count: Int
    private let file: any OpenImage
    private var piece: [UInt8] = []
    private var pieceStart = 0

    init(_ file: any OpenImage) {
        count = file.size
        self.file = file
    }

    /// Nil if the file ends before.
    mutating func bytes(_ wanted: Int, at offset: Int) throws(FeedError) -> ArraySlice<UInt8>? {
        guard offset <= count - wanted else { return nil }
        if offset < pieceStart || offset + wanted > pieceStart + piece.count {
            piece = try file.read(max(wanted, Self.pieceSize), at: offset)
            pieceStart = offset
        }
        let start = offset - pieceStart
        return start + wanted <= piece.count ? piece[start..<start + wanted] : nil
    }

    /// A number of up to four bytes, the most significant first. Nil if the file ends before.
    mutating func big(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset)?.reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func little(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func has(_ text: String, at offset: Int) throws(FeedError) -> Bool {
        try bytes(text.utf8.count, at: offset)?.elementsEqual(text.utf8) == true
    }
}
