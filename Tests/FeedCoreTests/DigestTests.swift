import FeedCore
import Testing

@Suite struct DigestTests {
    private static let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1df0ff"

    private static let others: [String] = [
        "", "00", String(hex.dropLast()), "\(hex)0", hex.uppercased(), "g\(hex.dropFirst())", " \(hex.dropFirst())",
        "+\(hex.dropFirst())", "é\(hex.dropFirst(2))", "sha256:\(hex)", "../\(hex.dropFirst(3))",
    ]

    @Test("a digest is written in 64 lower-case hex digits and read back")
    func roundTrip() throws {
        let bytes = [UInt8](0..<30) + [0xF0, 0xFF]
        #expect(try #require(Digest(bytes: bytes)).hex == Self.hex)
        #expect(Digest(hex: Self.hex) == Digest(bytes: bytes))
        #expect(Digest(hex: Self.hex[...])?.withBytes { Array($0) } == bytes)
    }

    @Test("no other text is one", arguments: others)
    func refuses(text: String) {
        #expect(Digest(hex: text) == nil)
    }

    @Test("in every place there can be each of sixteen digits, and nothing else", arguments: [0, 7, 8, 31, 63])
    func digits(place: Int) {
        for byte in UInt8(1)...127 {
            var text = Array(Self.hex.utf8)
            text[place] = byte
            let hex = String(decoding: text, as: UTF8.self)
            #expect(Digest(hex: hex)?.hex == ("0123456789abcdef".utf8.contains(byte) ? hex : nil))
        }
    }

    @Test("those that differ in one word alone don't hash alike", arguments: 0..<4)
    func hashes(word: Int) throws {
        let hashes = try (UInt8(0)..<64).map { number in
            var bytes = [UInt8](repeating: 7, count: 32)
            bytes[8 * word + 5] = number
            return try #require(Digest(bytes: bytes)).hashValue
        }
        #expect(Set(hashes).count == 64)
    }

    @Test("no other number of bytes is one", arguments: [0, 31, 33])
    func refuses(count: Int) {
        #expect(Digest(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
}
