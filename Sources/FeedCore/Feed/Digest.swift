/// A SHA-256: the name of an image's bytes. They lie inline, as there are many of them in memory at once.
package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Nil unless there are exactly 32 bytes.
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

    /// Nil unless it is 64 lower-case hex digits, the only way a digest is ever written.
    package init?(hex: some StringProtocol) {
        // As a string of known type: going through one of any kind byte by byte would be slow.
        var text = String(hex)
        guard let digest = text.withUTF8({ Digest(digits: $0) }) else { return nil }
        self = digest
    }

    private init?(digits: UnsafeBufferPointer<UInt8>) {
        let digits = UnsafeRawBufferPointer(digits)
        guard digits.count == 2 * Self.byteCount, let first = Self.word(digits, at: 0),
            let second = Self.word(digits, at: 16), let third = Self.word(digits, at: 32),
            let fourth = Self.word(digits, at: 48)
        else { return nil }
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    private static func word(_ digits: UnsafeRawBufferPointer, at offset: Int) -> UInt64? {
        guard let high = halfWord(digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            let low = halfWord(digits.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Of eight digits as they stand in memory; nil unless they are the ones that this number is written with.
    private static func halfWord(_ digits: UInt64) -> UInt32? {
        let text = digits.bigEndian
        // Letters have the seventh bit.
        var word = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ (text >> 6 & 0x0101_0101_0101_0101) &* 9
        word = (word | word >> 4) & 0x00FF_00FF_00FF_00FF
        word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF
        let number = UInt32(truncatingIfNeeded: word | word >> 16)
        return Self.digits(of: number) == digits ? number : nil
    }

    /// They are there until `body` returns.
    package func withBytes<Outcome, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let words = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return try Swift.withUnsafeBytes(of: words) { bytes throws(Failure) in try body(bytes) }
    }

    package var hex: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            let target = UnsafeMutableRawBufferPointer(buffer)
            for (index, word) in [first, second, third, fourth].enumerated() {
                let (high, low) = (UInt32(truncatingIfNeeded: word >> 32), UInt32(truncatingIfNeeded: word))
                target.storeBytes(of: Self.digits(of: high), toByteOffset: 16 * index, as: UInt64.self)
                target.storeBytes(of: Self.digits(of: low), toByteOffset: 16 * index + 8, as: UInt64.self)
            }
            return 2 * Self.byteCount
        }
    }

    /// All eight at a time, in the order in which they stand in memory.
    private static func digits(of word: UInt32) -> UInt64 {
        // Each half byte into a byte of its own.
        var digits = UInt64(word)
        digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
        digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
        digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
        // From 10 on, adding 6 reaches the next half byte.
        let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (digits + 0x3030_3030_3030_3030 + letters * 0x27).bigEndian
    }
}

extension Digest: Comparable {
    /// In the order of their bytes, which is that of their hex digits.
    package static func < (left: Digest, right: Digest) -> Bool {
        if left.first != right.first { return left.first < right.first }
        return (left.second, left.third, left.fourth) < (right.second, right.third, right.fourth)
    }
}
