import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Address class")
struct AddressClassTests {
    /// The class of a block, at its first address, its last address and one between, and the classes before and after
    /// it.
    struct Block: Sendable, CustomTestStringConvertible {
        let name: String
        let first: String
        let last: String
        let reason: AddressClass.Reason
        let before: AddressClass?
        let after: AddressClass?

        init(
            _ name: String, _ first: String, _ last: String, _ reason: AddressClass.Reason,
            before: AddressClass? = .public, after: AddressClass? = .public
        ) {
            self.name = name
            self.first = first
            self.last = last
            self.reason = reason
            self.before = before
            self.after = after
        }

        var testDescription: String { name }
    }

    private static let ipv4 = [
        Block("0.0.0.0/8", "0.0.0.0", "0.255.255.255", .unspecified, before: nil),
        Block("10.0.0.0/8", "10.0.0.0", "10.255.255.255", .privateUse),
        Block("100.64.0.0/10", "100.64.0.0", "100.127.255.255", .shared),
        Block("127.0.0.0/8", "127.0.0.0", "127.255.255.255", .loopback),
        Block("169.254.0.0/16", "169.254.0.0", "169.254.255.255", .linkLocal),
        Block("172.16.0.0/12", "172.16.0.0", "172.31.255.255", .privateUse),
        Block("192.0.0.0/24", "192.0.0.0", "192.0.0.255", .reserved),
        Block("192.0.2.0/24", "192.0.2.0", "192.0.2.255", .documentation),
        Block("192.88.99.0/24", "192.88.99.0", "192.88.99.255", .reserved),
        Block("192.168.0.0/16", "192.168.0.0", "192.168.255.255", .privateUse),
        Block("198.18.0.0/15", "198.18.0.0", "198.19.255.255", .benchmarking),
        Block("198.51.100.0/24", "198.51.100.0", "198.51.100.255", .documentation),
        Block("203.0.113.0/24", "203.0.113.0", "203.0.113.255", .documentation),
        Block("224.0.0.0/4", "224.0.0.0", "239.255.255.255", .multicast, after: .private(.reserved)),
        Block(
            "240.0.0.0/4", "240.0.0.0", "255.255.255.254", .reserved, before: .private(.multicast),
            after: .private(.broadcast)),
        Block(
            "255.255.255.255/32", "255.255.255.255", "255.255.255.255", .broadcast, before: .private(.reserved),
            after: nil),
    ]

    private static let ipv6 = [
        Block("::/128", "::", "::", .unspecified, before: nil, after: .private(.loopback)),
        Block("::1/128", "::1", "::1", .loopback, before: .private(.unspecified), after: .private(.reserved)),
        Block("::/96", "::2", "::ffff:ffff", .reserved, before: .private(.loopback), after: .private(.reserved)),
        Block(
            "NAT64 for local use", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .tunnel,
            before: .private(.reserved), after: .private(.reserved)),
        Block(
            "below 2000::/3", "64:ff9b:2::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved,
            before: .private(.tunnel), after: .public),
        Block("Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", .tunnel, after: .private(.reserved)),
        Block(
            "2001:2::/48", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", .benchmarking,
            before: .private(.reserved), after: .private(.reserved)),
        Block(
            "rest of 2001::/23", "2001:2:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved,
            before: .private(.benchmarking)),
        Block("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        Block("3fff::/20", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        Block(
            "above 2000::/3", "4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved,
            after: .private(.uniqueLocal)),
        Block(
            "fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .uniqueLocal,
            before: .private(.reserved), after: .private(.reserved)),
        Block(
            "fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal,
            before: .private(.reserved), after: .private(.siteLocal)),
        Block(
            "fec0::/10", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .siteLocal,
            before: .private(.linkLocal), after: .private(.multicast)),
        Block(
            "ff00::/8", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast,
            before: .private(.siteLocal), after: nil),
    ]

    @Test("An address has the class of its block, from the first address to the last", arguments: ipv4 + ipv6)
    func blocks(block: Block) throws {
        let first = try address(block.first)
        let last = try address(block.last)
        #expect(first.addressClass == .private(block.reason))
        #expect(last.addressClass == .private(block.reason))
        #expect(try middle(first, last).addressClass == .private(block.reason))
        let isOwn = [.loopback, .linkLocal, .privateUse, .uniqueLocal].contains(block.reason)
        for address in [first, try middle(first, last), last] { #expect(address.isOfOwnNetwork == isOwn) }
        #expect(try neighbour(first, by: -1)?.addressClass == block.before)
        #expect(try neighbour(last, by: 1)?.addressClass == block.after)
    }

    @Test(
        "The address of a host of the public internet is public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
            "168.63.129.16", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.31.196.1",
            "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2000::", "2001:200::", "2001:4860:4860::8888", "2001:db7:ffff::", "2001:db9::", "2003::",
            "2606:4700:4700::1111", "2a00:1450:4001:800::200e", "3ffe:ffff::", "3fff:1000::",
            "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ])
    func publicHosts(text: String) throws {
        #expect(try address(text).addressClass == .public)
        #expect(try address(text).addressClass.isPublic)
    }

    @Test(
        "An IPv6 address that represents an IPv4 address has the class of the IPv4 address",
        arguments: [
            ("::ffff:127.0.0.1", AddressClass.private(.loopback)),
            ("::ffff:10.1.2.3", .private(.privateUse)),
            ("::ffff:169.254.169.254", .private(.linkLocal)),
            ("::ffff:0.0.0.0", .private(.unspecified)),
            ("::ffff:255.255.255.255", .private(.broadcast)),
            ("::ffff:8.8.8.8", .public),
            ("64:ff9b::127.0.0.1", .private(.loopback)),
            ("64:ff9b::192.168.0.1", .private(.privateUse)),
            ("64:ff9b::a9fe:a9fe", .private(.linkLocal)),
            ("64:ff9b::8.8.8.8", .public),
            ("2002:7f00:1::", .private(.loopback)),
            ("2002:a00:1::1", .private(.privateUse)),
            ("2002:a9fe:a9fe:1:2:3:4:5", .private(.linkLocal)),
            ("2002:c0a8:101::", .private(.privateUse)),
            ("2002:808:808::1", .public),
            // The IPv4 address is at another offset, or behind another prefix.
            ("2002:808:808::10.0.0.1", .public),
            ("::8.8.8.8", .private(.reserved)),
            ("::127.0.0.1", .private(.reserved)),
            ("::ffff:0:8.8.8.8", .private(.reserved)),
            ("64:ff9b:0:0:0:1:8.8.8.8", .private(.reserved)),
            ("64:ff9b:1::8.8.8.8", .private(.tunnel)),
            ("2001:0:808:808::f7f7:f7f7", .private(.tunnel)),
        ])
    func embedded(text: String, expected: AddressClass) throws {
        #expect(try address(text).addressClass == expected)
    }

    @Test(
        "A mapped IPv6 address belongs to the own network if its IPv4 address does; a gateway address never does",
        arguments: [
            ("::ffff:10.1.2.3", true), ("::ffff:127.0.0.1", true), ("::ffff:198.18.0.1", false),
            ("::ffff:8.8.8.8", false), ("64:ff9b::10.1.2.3", false), ("64:ff9b:1::10.1.2.3", false),
            ("2002:a01:203::1", false), ("8.8.8.8", false), ("2606:2800::1", false),
        ])
    func ownNetwork(text: String, isOwn: Bool) throws {
        #expect(try address(text).isOfOwnNetwork == isOwn)
    }

    @Test("Every IPv4 address has the class of the IPv6 addresses that represent it", arguments: ipv4)
    func embeddedBorders(block: Block) throws {
        for border in [try address(block.first), try address(block.last)] {
            let neighbours = [try neighbour(border, by: -1), border, try neighbour(border, by: 1)]
            for ipv4 in neighbours.compactMap(\.self) {
                let zeros = [UInt8](repeating: 0, count: 10)
                let mapped = zeros + [0xFF, 0xFF] + ipv4.bytes
                let translated = [0x00, 0x64, 0xFF, 0x9B] + zeros.prefix(8) + ipv4.bytes
                let tunnelled = [0x20, 0x02] + ipv4.bytes + zeros
                for bytes in [mapped, translated, tunnelled] {
                    #expect(NetworkAddress(bytes: bytes)?.addressClass == ipv4.addressClass)
                }
            }
        }
    }

    @Test("Outside 2000::/3, only mapped and NAT64 addresses are public", arguments: 0..<8)
    func outside(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            guard bytes[0] >> 5 != 1 else { continue }
            #expect(NetworkAddress(bytes: bytes)?.addressClass.isPublic == false, "\(bytes)")
        }
    }

    private func address(_ text: String) throws -> NetworkAddress {
        try #require(NetworkAddress(presentation: text), "\(text)")
    }

    /// Returns the address before or after; nil beyond the first and the last address.
    private func neighbour(_ address: NetworkAddress, by step: Int) throws -> NetworkAddress? {
        let value = number(address)
        let end: UInt128 = address.isIPv4 ? UInt128(UInt32.max) : .max
        if value == (step < 0 ? 0 : end) { return nil }
        return try self.address(step < 0 ? value - 1 : value + 1, like: address)
    }

    private func middle(_ first: NetworkAddress, _ last: NetworkAddress) throws -> NetworkAddress {
        try address(number(first) + (number(last) - number(first)) / 2, like: first)
    }

    private func number(_ address: NetworkAddress) -> UInt128 {
        address.bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    private func address(_ number: UInt128, like other: NetworkAddress) throws -> NetworkAddress {
        let bytes = other.bytes.indices.reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt128($0))) }
        return try #require(NetworkAddress(bytes: bytes))
    }
}
