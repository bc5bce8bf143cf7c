import FeedCore
import Glibc
import TestSupport
import Testing

@Suite("Network address")
struct NetworkAddressTests {
    @Test(
        "is read from its strict notation and written in the canonical one",
        arguments: [
            ("1.2.3.4", "1.2.3.4"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2:3::6:7:8", "1:2:3::6:7:8"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("::FFFF:102:304", "::ffff:1.2.3.4"),
            ("::1.2.3.4", "::102:304"), ("64:ff9b::10.0.0.1", "64:ff9b::a00:1"),
            ("1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func notation(text: String, canonical: String) throws {
        let address = try #require(NetworkAddress(presentation: text))
        #expect(address.description == canonical)
        #expect(NetworkAddress(presentation: canonical) == address)
    }

    @Test(
        "is none in a loose or broken notation",
        arguments: [
            "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.999", "1.2.3.1000", "1.2.3.", ".1.2.3", "1..2.3",
            "1.2.3.04", "1.2.3.00", "0177.0.0.1", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.-4", "1.2.3.+4",
            "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\0", "1.2.3.4/32", "1.2.3.٤", "１.2.3.4", "a.b.c.d",
            ":", ":::", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:", ":1::2", "1::2:", "1:2:3:4::5:6:7:8", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::",
            "12345::", "::00001", "::g", "::-1", "::+1", "::0x1", "[::1]", "::1%eth0", "::1/128", "fe80::1%1",
            "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
            "1:2:3:4:5:1.2.3.4", "::01.2.3.4", " ::1", "::1 ", "::ffff:1.2.3.4\n", "::１",
            String(repeating: "0", count: 10_000), String(repeating: "1:", count: 10_000),
        ])
    func rejected(text: String) {
        #expect(NetworkAddress(presentation: text) == nil)
    }

    @Test("has 4 or 16 bytes", arguments: 0...20)
    func lengths(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(NetworkAddress(bytes: bytes)?.bytes == (count == 4 || count == 16 ? bytes : nil))
    }

    @Test("is read and written as the C library does it", arguments: 0..<8)
    func libraryAgrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let count = Bool.random(using: &random) ? 4 : 16
            // Many zeros: they are what can be left out.
            let bytes = (0..<count).map { _ in
                Int.random(in: 0..<3, using: &random) == 0 ? UInt8.random(in: .min ... .max, using: &random) : 0
            }
            let address = try #require(NetworkAddress(bytes: bytes))
            #expect(libraryRead(address.description, family: count == 4 ? AF_INET : AF_INET6) == bytes)
            #expect(NetworkAddress(presentation: libraryWrite(bytes)) == address)
        }
    }

    @Test("takes exactly the texts that the C library takes", arguments: 0..<8)
    func libraryAgreesOnTexts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = ["0", "1", "ff", "ABCD", "12345", ":", ":", ":", "::", "1.2.3.4", ".", "255", "g"]
        for _ in 0..<3000 {
            let count = Int.random(in: 1...15, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let expected = libraryRead(text, family: AF_INET) ?? libraryRead(text, family: AF_INET6)
            #expect(NetworkAddress(presentation: text)?.bytes == expected, "\(text)")
        }
    }

    private func libraryRead(_ text: String, family: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private func libraryWrite(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 64)
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
