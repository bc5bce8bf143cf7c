/// The headers of one entry, as they stand in the archive. libarchive makes a file of any kind of entry that it doesn't
/// know, and of those that are put together from parts, and passes a volume's label over.
struct EntryHeaders {
    struct Fault: Equatable {
        static let unreadable = Fault(reason: "has a header that can't be read")

        let reason: String
        /// The name of a volume, which is no entry.
        var label: String?
    }

    private static let blockSize = 512
    private static let sparseKey = Array(" GNU.sparse.".utf8)

    private(set) var fault: Fault?
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        while !rest.isEmpty, fault == nil {
            let header = rest.prefix(Self.blockSize)
            // The end of the archive.
            if header.allSatisfy({ $0 == 0 }) { return }
            rest = rest.dropFirst(Self.blockSize)
            fault = fault(of: header)
        }
    }

    /// Takes a header's own data away, too. One that precedes the entry's own has to be followed by another.
    private mutating func fault(of header: ArraySlice<UInt8>) -> Fault? {
        guard header.count == Self.blockSize else { return .unreadable }
        switch Character(UnicodeScalar(header[header.startIndex + 156])) {
        // Links and the like are known to libarchive.
        case "\0", "0"..."7": return rest.isEmpty ? nil : .unreadable
        case "L", "K", "x", "g":
            guard let data = data(of: header), !rest.isEmpty else { return .unreadable }
            // Before a record's key there is a space.
            return data.firstRange(of: Self.sparseKey) == nil ? nil : Fault(reason: "a sparse file")
        case "S": return Fault(reason: "a sparse file")
        case "M": return Fault(reason: "a part of a file of several volumes")
        case "V": return Fault(reason: "a volume's label", label: Self.name(in: header))
        case _: return Fault(reason: "an entry of an unknown kind")
        }
    }

    /// Nil where libarchive might read another size than is read here.
    private mutating func data(of header: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let field = header.dropFirst(124).prefix(12).prefix { $0 != 0 && $0 != 0x20 }
        guard field.allSatisfy({ (0x30...0x37).contains($0) }),
            let size = Int(String(decoding: field, as: UTF8.self), radix: 8), size <= rest.count
        else { return nil }
        defer { rest = rest.dropFirst((size + Self.blockSize - 1) / Self.blockSize * Self.blockSize) }
        return rest.prefix(size)
    }

    private static func name(in header: ArraySlice<UInt8>) -> String {
        String(decoding: header.prefix(100).prefix { $0 != 0 }, as: UTF8.self)
    }
}
