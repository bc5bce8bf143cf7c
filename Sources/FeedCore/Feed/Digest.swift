/// A SHA-256: the name of an image's bytes. They lie inline, as there are many of them in memory at once.
package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        first = Self.word(bytes[0..<8])
        second = Self.word(bytes[8..<16])
        third = Self.word(bytes[16..<24])
        fourth = Self.word(bytes[24..<32])
    }

    /// Nil unless it is 64 lower-case hex digits, the only way a digest is ever written.
    package init?(hex: some StringProtocol) {
        // As a string of known type: going through one of any kind byte by byte would be slow.
        var text = String(hex)
        let bytes = text.withUTF8 { digits -> [UInt8]? in
            guard digits.count == 2 * Self.byteCount else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.byteCount)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
        guard let bytes else { return nil }
        self.init(bytes: bytes)
    }

    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            for word in [first, second, third, fourth] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    buffer[count] = UInt8(truncatingIfNeeded: word >> UInt64(shift))
                    count += 1
                }
            }
        }
    }

    package var hex: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            var count = 0
            for word in [first, second, third, fourth] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    buffer[count] = Self.digit(UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15)
                    count += 1
                }
            }
            return count
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Digest: Comparable {
    /// In the order of their bytes, which is that of their hex digits.
    package static func < (left: Digest, right: Digest) -> Bool {
        (left.first, left.second, left.third, left.fourth) < (right.first, right.second, right.third, right.fourth)
    }
}
