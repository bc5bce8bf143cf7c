internal import Glibc

/// Turns bytes in some encoding into UTF-8, a piece at a time. What is no text in the encoding becomes U+FFFD, or, for one
/// that was but guessed, ends the text.
final class TextDecoder {
    private let descriptor: iconv_t
    private let isStrict: Bool
    /// How many bytes are passed over where they mean nothing.
    private let unit: Int
    /// Whether something was met that is no text in the encoding, and not replaced.
    private(set) var hasFailed = false

    /// Nil if the machine knows no such encoding.
    init?(_ encoding: String, isStrict: Bool) {
        guard let descriptor = iconv_open("UTF-8", encoding), Int(bitPattern: descriptor) != -1 else { return nil }
        self.descriptor = descriptor
        self.isStrict = isStrict
        unit = encoding.hasPrefix("UTF-16") ? 2 : 1
    }

    static func isKnown(_ encoding: String) -> Bool { TextDecoder(encoding, isStrict: true) != nil }

    deinit { iconv_close(descriptor) }

    /// How many bytes were read and written, of all that is left. The room has to be enough for one character.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        var input = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        var output = room.baseAddress?.assumingMemoryBound(to: CChar.self)
        // No more at a time than there is room for: iconv would decode the rest in vain.
        var (left, free) = (bytes.count, room.count)
        while left > 0 {
            let piece = min(left, max(free, 16))
            var rest = piece
            let result = iconv(descriptor, &input, &rest, &output, &free)
            let reason = errno
            left -= piece - rest
            if result != -1 {
                if free < 16 { break }
            } else if reason == E2BIG {
                break
            } else if reason == EINVAL, rest < left {
                continue  // The piece ended within a character.
            } else {
                guard !isStrict else {
                    hasFailed = true
                    break
                }
                guard free >= Self.replacement.count, let place = output, let start = input else { break }
                for (index, byte) in Self.replacement.enumerated() { place[index] = CChar(bitPattern: byte) }
                output = place + Self.replacement.count
                free -= Self.replacement.count
                let skipped = min(unit, left)
                input = start + skipped
                left -= skipped
            }
        }
        // Some encodings hold a letter back, to see whether its accent follows.
        if left == 0 { iconv(descriptor, nil, nil, &output, &free) }
        return (bytes.count - left, room.count - free)
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}
