/// The check that ends a gzip stream, which libarchive passes over: a CRC-32 and the length of what it holds.
struct GzipCheck {
    /// 256 numbers for each of eight places of a byte before the end.
    private static let table: [UInt32] = {
        var table: [UInt32] = []
        for byte in UInt32(0)..<256 {
            var crc = byte
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
            table.append(crc)
        }
        for index in 256..<8 * 256 {
            let before = table[index - 256]
            table.append((before >> 8) ^ table[Int(before & 0xFF)])
        }
        return table
    }()

    private var crc: UInt32 = .max
    private var length: UInt32 = 0
    private var tail: [UInt8] = []
    /// Of a stream of several members the last has a check of itself alone. What a member begins with can also stand
    /// anywhere by chance.
    private var mayHaveMembers = false
    private var isAtStart = true

    /// Of what the stream holds.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt32(truncatingIfNeeded: bytes.count)
        crc = Self.table.withUnsafeBufferPointer { table in
            var crc = crc
            var rest = bytes[...]
            while rest.count >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: rest.startIndex, as: UInt64.self).littleEndian
                crc = Self.join(word ^ UInt64(crc), table)
                rest = rest.dropFirst(8)
            }
            for byte in rest { crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
            return crc
        }
    }

    private static func join(_ word: UInt64, _ table: UnsafeBufferPointer<UInt32>) -> UInt32 {
        var crc: UInt32 = 0
        for place in 0..<8 {
            let byte = Int(UInt8(truncatingIfNeeded: word >> UInt64(8 * place)))
            crc ^= table[(7 - place) * 256 + byte]
        }
        return crc
    }

    /// Of the stream itself, of which the end counts.
    mutating func addCompressed(_ bytes: UnsafeRawBufferPointer) {
        if !mayHaveMembers {
            let seam = Array(tail.suffix(3) + bytes.prefix(3))
            // The first one is no further one.
            mayHaveMembers =
                Self.holdsMember(isAtStart ? .init(rebasing: bytes.dropFirst()) : bytes)
                || !isAtStart && seam.withUnsafeBytes(Self.holdsMember)
        }
        isAtStart = isAtStart && bytes.isEmpty
        tail = (tail + bytes.suffix(8)).suffix(8)
    }

    private static func holdsMember(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Two numbers of its own, that of deflate, and flags of which three are none.
        for start in 0..<max(0, bytes.count - 3)
        where bytes[start] == 0x1F && bytes[start + 1] == 0x8B && bytes[start + 2] == 8 && bytes[start + 3] & 0xE0 == 0
        {
            return true
        }
        return false
    }

    var fails: Bool {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        guard tail.count == 8 else { return true }
        let (isSame, isAsLong) = (number(tail[..<4]) == ~crc, number(tail[4...]) == length)
        return mayHaveMembers ? isSame != isAsLong : !isSame || !isAsLong
    }
}
