internal import FeedCore

/// The first directory of a TIFF, which is also what EXIF is made of.
struct TIFFDirectory {
    private(set) var width: Int?
    private(set) var height: Int?
    private var orientation: Int?

    /// Of the eight ways a picture can lie, four swap its width and height.
    var isOnItsSide: Bool { orientation.map { (5...8).contains($0) } ?? false }

    private static let mostEntries = 4096

    init?(at base: Int, _ file: inout FileBytes) throws(FeedError) {
        let isLittle = try file.has("II", at: base)
        let isBig = try file.has("MM", at: base)
        guard isLittle || isBig else { return nil }
        func number(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
            try isLittle ? file.little(size, at: base + offset) : file.big(size, at: base + offset)
        }
        // In a BigTIFF, offsets and counts have eight bytes.
        let isWide = try number(2, at: 2) == 43
        let (countSize, entrySize, valueAt) = isWide ? (8, 20, 12) : (2, 12, 8)
        guard let start = try isWide ? number(8, at: 8) : number(4, at: 4), start <= file.count,
            let count = try number(countSize, at: start)
        else { return nil }
        for entry in 0..<min(count, Self.mostEntries) {
            let offset = start + countSize + entry * entrySize
            guard let tag = try number(2, at: offset) else { break }
            guard [256, 257, 274].contains(tag), let type = try number(2, at: offset + 2) else { continue }
            let size = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0
            guard size > 0, let value = try number(size, at: offset + valueAt) else { continue }
            switch tag {
            case 256: width = value
            case 257: height = value
            // Browsers know no other type of this one.
            default: if type == 3 { orientation = value }
            }
        }
    }
}
