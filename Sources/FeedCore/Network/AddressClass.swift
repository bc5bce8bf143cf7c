/// Whether an address is one of the public internet, by IANA's registries of special-purpose addresses. What isn't
/// known to be public is private: a feed from outside must not reach it.
package enum AddressClass: Hashable, Sendable {
    case `public`
    case `private`(Reason)

    /// In words that fit between "a" and "address".
    package enum Reason: String, Sendable {
        case unspecified, loopback, multicast, broadcast, shared, documentation, benchmarking, reserved
        case linkLocal = "link-local"
        case siteLocal = "site-local"
        case privateUse = "private"
        case uniqueLocal = "unique-local"
        /// Teredo, or the NAT64 prefix for local use: it leads to an IPv4 address that it doesn't plainly name.
        case tunnel
    }

    package var isPublic: Bool { self == .public }
}

extension NetworkAddress {
    /// By the first block of the tables below that holds the address; an IPv6 address that stands for an IPv4 address
    /// is of that one's class.
    package var addressClass: AddressClass {
        switch meaning {
        case .reason(let reason): .private(reason)
        case .ipv4(let offset), .wayToIPv4(let offset): ipv4(at: offset)?.addressClass ?? .private(.reserved)
        case .globalUnicast: .public
        case nil: isIPv4 ? .public : .private(.reserved)
        }
    }

    /// Whether who is there is of a network of one's own: loopback, link-local, private or unique-local. Who is at an
    /// address of another special kind may be anybody, as may who is reached by way of a tunnel or a translator.
    package var isOfOwnNetwork: Bool {
        switch meaning {
        case .reason(let reason): [.loopback, .linkLocal, .privateUse, .uniqueLocal].contains(reason)
        case .ipv4(let offset): ipv4(at: offset)?.isOfOwnNetwork ?? false
        case .wayToIPv4, .globalUnicast, nil: false
        }
    }

    private var meaning: AddressBlock.Meaning? {
        let blocks = isIPv4 ? AddressBlock.ipv4 : AddressBlock.ipv6
        return blocks.first { $0.contains(bytes) }?.meaning
    }

    private func ipv4(at offset: Int) -> NetworkAddress? {
        NetworkAddress(bytes: Array(bytes[offset..<offset + 4]))
    }
}

/// The addresses that begin with the same bits.
private struct AddressBlock {
    enum Meaning {
        case reason(AddressClass.Reason)
        /// Is the IPv4 address at this offset.
        case ipv4(at: Int)
        /// Leads to that one, by others.
        case wayToIPv4(at: Int)
        case globalUnicast
    }

    let prefix: [UInt8]
    let bits: Int
    let meaning: Meaning

    /// Zeros at the end of the prefix may be left out.
    init(_ prefix: [UInt8], _ bits: Int, _ meaning: Meaning) {
        self.prefix = prefix + [UInt8](repeating: 0, count: max(0, (bits + 7) / 8 - prefix.count))
        self.bits = bits
        self.meaning = meaning
    }

    init(_ prefix: [UInt8], _ bits: Int, _ reason: AddressClass.Reason) {
        self.init(prefix, bits, .reason(reason))
    }

    func contains(_ address: [UInt8]) -> Bool {
        let whole = bits / 8
        guard address.prefix(whole) == prefix.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0
    }

    static let ipv4 = [
        AddressBlock([0], 8, .unspecified),
        AddressBlock([10], 8, .privateUse),
        AddressBlock([100, 64], 10, .shared),
        AddressBlock([127], 8, .loopback),
        AddressBlock([169, 254], 16, .linkLocal),
        AddressBlock([172, 16], 12, .privateUse),
        AddressBlock([192, 0, 0], 24, .reserved),
        AddressBlock([192, 0, 2], 24, .documentation),
        AddressBlock([192, 88, 99], 24, .reserved),
        AddressBlock([192, 168], 16, .privateUse),
        AddressBlock([198, 18], 15, .benchmarking),
        AddressBlock([198, 51, 100], 24, .documentation),
        AddressBlock([203, 0, 113], 24, .documentation),
        AddressBlock([224], 4, .multicast),
        AddressBlock([255, 255, 255, 255], 32, .broadcast),
        AddressBlock([240], 4, .reserved),
    ]

    static let ipv6 = [
        AddressBlock([], 128, .unspecified),
        AddressBlock([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, .loopback),
        // IPv4-mapped, then NAT64. IPv4-compatible addresses are long obsolete: reserved, with all that isn't listed.
        AddressBlock([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96, .ipv4(at: 12)),
        AddressBlock([0x00, 0x64, 0xFF, 0x9B], 96, .wayToIPv4(at: 12)),
        AddressBlock([0x00, 0x64, 0xFF, 0x9B, 0, 1], 48, .tunnel),
        AddressBlock([0xFE, 0x80], 10, .linkLocal),
        AddressBlock([0xFE, 0xC0], 10, .siteLocal),
        AddressBlock([0xFC], 7, .uniqueLocal),
        AddressBlock([0xFF], 8, .multicast),
        // Teredo.
        AddressBlock([0x20, 0x01], 32, .tunnel),
        AddressBlock([0x20, 0x01, 0, 2], 48, .benchmarking),
        AddressBlock([0x20, 0x01], 23, .reserved),
        AddressBlock([0x20, 0x01, 0x0D, 0xB8], 32, .documentation),
        AddressBlock([0x3F, 0xFF], 20, .documentation),
        // 6to4.
        AddressBlock([0x20, 0x02], 16, .wayToIPv4(at: 2)),
        AddressBlock([0x20], 3, .globalUnicast),
    ]
}
