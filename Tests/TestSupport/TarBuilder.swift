/// Builds tar archives by hand, both valid and invalid ones.
package struct TarBuilder {
    package enum Kind: String, Sendable {
        case file = "0"
        case hardLink = "1"
        case symbolicLink = "2"
        case characterDevice = "3"
        case blockDevice = "4"
        case directory = "5"
        case fifo = "6"
        case contiguous = "7"
        case oldSparse = "S"
        case volumeLabel = "V"
        case laterVolume = "M"
        case unknown = "Q"
        case pax = "x"
        case paxForAll = "g"
        case longName = "L"
    }

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Adds an entry.
    ///
    /// `size` is the size in the header, if it differs from the number of bytes.
    package mutating func add(
        _ name: String, _ data: [UInt8] = [], kind: Kind = .file, link: String = "", size: Int? = nil,
        owner: String = ""
    ) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int, _ length: Int) {
            for (index, byte) in text.utf8.prefix(length).enumerated() { header[offset + index] = byte }
        }
        put(name, at: 0, 100)
        put("0000644\0", at: 100, 8)
        put("0000000\0", at: 108, 8)
        put("0000000\0", at: 116, 8)
        put(Self.octal(size ?? data.count, digits: 11) + "\0", at: 124, 12)
        put("00000000000\0", at: 136, 12)
        put("        ", at: 148, 8)
        put(kind.rawValue, at: 156, 1)
        put(link, at: 157, 100)
        put("ustar\u{0}00", at: 257, 8)
        put(owner, at: 265, 32)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(Self.octal(sum, digits: 6) + "\0 ", at: 148, 8)
        bytes += header + data + [UInt8](repeating: 0, count: (512 - data.count % 512) % 512)
    }

    /// Adds the records of a pax header for the following entry.
    package mutating func addPax(_ records: [(String, String)], kind: Kind = .pax) {
        var data: [UInt8] = []
        for (key, value) in records {
            // A record begins with its own length.
            let rest = " \(key)=\(value)\n"
            var length = rest.utf8.count + 1
            while String(length).utf8.count + rest.utf8.count != length { length += 1 }
            data += "\(length)\(rest)".utf8
        }
        add("pax", data, kind: kind)
    }

    /// Adds a sparse file as old GNU tar wrote it: a header, and a list of holes that continues for this many blocks.
    package mutating func addOldSparse(_ name: String, blocks: Int) {
        let start = bytes.count
        add(name, kind: .oldSparse)
        func set(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { bytes[start + offset + index] = byte }
        }
        set("ustar  \0", at: 257)
        set("00000000000\0" + "00000000000\0", at: 386)
        // More blocks follow; then come the real size and the checksum.
        bytes[start + 482] = 1
        set("00000000000\0", at: 483)
        set("        ", at: 148)
        let sum = bytes[start..<start + 512].reduce(0) { $0 + Int($1) }
        set(Self.octal(sum, digits: 6) + "\0 ", at: 148)
        var block = [UInt8](repeating: UInt8(ascii: "0"), count: 504) + [UInt8](repeating: 0, count: 8)
        for index in stride(from: 11, to: 504, by: 12) { block[index] = 0 }
        block[504] = 1
        for _ in 0..<blocks { bytes += block }
    }

    package mutating func end() { bytes += [UInt8](repeating: 0, count: 1024) }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
