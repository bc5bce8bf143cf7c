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
        #expect(Digest(hex: Self.hex)?.withBytes { Array($0) } == bytes)
    }

    @Test("no other text is one", arguments: others)
    func refuses(text: String) {
        #expect(Digest(hex: text) == nil)
    }

    @Test("no other number of bytes is one", arguments: [0, 31, 33])
    func refuses(count: Int) {
        #expect(Digest(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
}
