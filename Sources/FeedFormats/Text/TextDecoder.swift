internal import Glibc

/// Turns text in any encoding into UTF-8 with the C library's iconv. U+FFFD replaces each byte that is no text in the
/// encoding.
final class TextDecoder {
    static let replacement = Array("\u{FFFD}".utf8)

    private let descriptor: iconv_t
    private let unit: Int

    /// Nil if the machine does not know the encoding.
    init?(_ encoding: String) {
        guard let descriptor = iconv_open("UTF-8", encoding), Int(bitPattern: descriptor) != -1 else { return nil }
        self.descriptor = descriptor
        unit = encoding.hasPrefix("UTF-16") ? 2 : 1
    }

    deinit { iconv_close(descriptor) }

    /// Nil for a text that would be more than twice as long: no feed is, and it would need the more memory.
    func utf8(of bytes: [UInt8]) -> [UInt8]? {
        var length = 0
        decode(bytes) { length += $0.count }
        guard length <= 4096 + 2 * bytes.count else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(length)
        decode(bytes) { text += $0 }
        return text
    }

    /// The characters of the bytes from 0x80 on, if the encoding writes each character as one byte, and ASCII as ASCII.
    func singleBytes() -> [[UInt8]]? {
        var characters: [[UInt8]] = []
        for byte in UInt8.min...UInt8.max {
            iconv(descriptor, nil, nil, nil, nil)
            var input = CChar(bitPattern: byte)
            let character: [UInt8]? = withUnsafeMutablePointer(to: &input) { self.character(at: $0) }
            // An encoding may hold a letter back, as an accent may follow.
            guard let character, !character.isEmpty, byte >= 0x80 || character == [byte] else { return nil }
            if byte >= 0x80 { characters.append(character) }
        }
        iconv(descriptor, nil, nil, nil, nil)
        return characters
    }

    /// Nil if further bytes belong to the character.
    private func character(at byte: UnsafeMutablePointer<CChar>) -> [UInt8]? {
        var input: UnsafeMutablePointer<CChar>? = byte
        var left = 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { room -> [UInt8]? in
            var output = room.baseAddress
            var free = room.count
            guard iconv(descriptor, &input, &left, &output, &free) != -1 else {
                return errno == EILSEQ ? Self.replacement : nil
            }
            return room[..<(room.count - free)].map { UInt8(bitPattern: $0) }
        }
    }

    private func decode(_ bytes: [UInt8], _ take: (Slice<UnsafeMutableRawBufferPointer>) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var input = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            var left = bytes.count
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
                while true {
                    var output = room.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var free = room.count
                    // Some encodings hold a letter back to see whether an accent follows. The last call asks for it.
                    let isLast = left == 0
                    let result =
                        isLast
                        ? iconv(descriptor, nil, nil, &output, &free)
                        : iconv(descriptor, &input, &left, &output, &free)
                    let reason = errno
                    if free < room.count { take(room[..<(room.count - free)]) }
                    guard !isLast else { return }
                    guard result == -1, reason != E2BIG, let start = input else { continue }
                    Self.replacement.withUnsafeBytes { bytes in
                        room.copyMemory(from: bytes)
                        take(room[..<bytes.count])
                    }
                    input = start + min(unit, left)
                    left -= min(unit, left)
                }
            }
        }
    }
}
