import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Network address")
struct NetworkAddressTests {
    @Test(
        "An address is read from its strict notation and written in the canonical one",
        arguments: [
            ("1.2.3.4", "1.2.3.4"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2:3::6:7:8", "1:2:3::6:7:8"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("::FFFF:102:304", "::ffff:1.2.3.4"),
            ("::1.2.3.4", "::1.2.3.4"), ("64:ff9b::10.0.0.1", "64:ff9b::a00:1"),
            ("1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func notation(text: String, canonical: String) throws {
        let address = try #require(NetworkAddress(presentation: text))
        #expect(address.description == canonical)
        #expect(NetworkAddress(presentation: canonical) == address)
    }

    @Test(
        "A loose or broken notation is not an address",
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

    @Test("An address has 4 or 16 bytes", arguments: 0...20)
    func lengths(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(NetworkAddress(bytes: bytes)?.bytes == (count == 4 || count == 16 ? bytes : nil))
    }
}
