internal import Glibc

/// Turns text in any encoding into UTF-8 with the C library's iconv. U+FFFD replaces each byte that is no text in the
/// encoding.
enum TextDecoder {
    static let replacement = Array("\u{FFFD}".utf8)

    /// Nil if the machine knows no such encoding.
    static func utf8(of bytes: [UInt8], in encoding: String) -> [UInt8]? {
        guard let descriptor = iconv_open("UTF-8", encoding), Int(bitPattern: descriptor) != -1 else { return nil }
        defer { iconv_close(descriptor) }
        let unit = encoding.hasPrefix("UTF-16") ? 2 : 1
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
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
                    text += room[..<(room.count - free)]
                    guard !isLast else { return }
                    guard result == -1, reason != E2BIG, let start = input else { continue }
                    text += replacement
                    input = start + min(unit, left)
                    left -= min(unit, left)
                }
            }
        }
        return text
    }
}
