/// The SHA-256 of some bytes, which names them.
///
/// Four numbers hold it, because a run has many digests at once.
package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Returns nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let digest = bytes.withUnsafeBytes({ Digest(bytes: $0) }) else { return nil }
        self = digest
    }

    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        first = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        second = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        third = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        fourth = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    }

    /// Returns nil unless the text is 64 lower-case hex digits, which is the only way to write a digest.
    package init?(hex: String) {
        let digits = hex.utf8Span.span
        guard digits.count == 2 * Self.byteCount, let first = Self.word(at: 0, of: digits),
            let second = Self.word(at: 16, of: digits), let third = Self.word(at: 32, of: digits),
            let fourth = Self.word(at: 48, of: digits)
        else { return nil }
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// Returns the number that 16 hex digits write.
    private static func word(at start: Int, of digits: Span<UInt8>) -> UInt64? {
        var word: UInt64 = 0
        for index in start..<start + 16 {
            switch digits[index] {
            case let digit where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit: word = word << 4 | UInt64(digit - 0x30)
            case let digit where UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit: word = word << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return word
    }

    /// Calls `body` with the bytes, which exist until it returns.
    package func withBytes<Outcome, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let words = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return try Swift.withUnsafeBytes(of: words) { bytes throws(Failure) in try body(bytes) }
    }

    package var hex: String {
        let digits: StaticString = "0123456789abcdef"
        return withBytes { bytes in
            String(unsafeUninitializedCapacity: 2 * Self.byteCount) { text in
                for index in 0..<Self.byteCount {
                    text[2 * index] = digits.utf8Start[Int(bytes[index] >> 4)]
                    text[2 * index + 1] = digits.utf8Start[Int(bytes[index] & 15)]
                }
                return 2 * Self.byteCount
            }
        }
    }
}

extension Digest: Comparable {
    /// The order of the bytes is the order of the hex digits.
    package static func < (left: Digest, right: Digest) -> Bool {
        if left.first != right.first { return left.first < right.first }
        return (left.second, left.third, left.fourth) < (right.second, right.third, right.fourth)
    }
}
