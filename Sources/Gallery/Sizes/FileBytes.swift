internal import FeedCore

/// A file, read where it is looked at, a piece at a time: what a header says may be at its end.
struct FileBytes {
    private static let pieceSize = 4096

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
        guard wanted >= 0, wanted <= count, offset >= 0, offset <= count - wanted else { return nil }
        if offset < pieceStart || offset + wanted > pieceStart + piece.count {
            piece = try file.read(max(wanted, Self.pieceSize), at: offset)
            pieceStart = offset
        }
        let start = offset - pieceStart
        return start + wanted <= piece.count ? piece[start..<start + wanted] : nil
    }

    /// A number of so many bytes, the first the most significant. Nil if it fits no `Int`, as where the file ends.
    mutating func big(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset).flatMap(Self.number)
    }

    mutating func little(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset).flatMap { Self.number($0.reversed()) }
    }

    mutating func has(_ text: StaticString, at offset: Int) throws(FeedError) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return try bytes(wanted.count, at: offset)?.elementsEqual(wanted) == true
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(0 as UInt) { $0 << 8 | UInt($1) })
    }
}
