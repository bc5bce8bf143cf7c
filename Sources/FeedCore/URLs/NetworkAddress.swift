internal import Glibc

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
    /// The 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads the strict notation.
    ///
    /// It refuses `127.1`, `0177.0.0.1`, `[::1]` and `fe80::1%eth0`.
    package init?(presentation text: String) {
        // The C library reads a text up to its first NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            bytes.removeLast(12)
        } else if inet_pton(AF_INET6, text, &bytes) != 1 {
            return nil
        }
        self.bytes = bytes
    }

    package var isIPv4: Bool { bytes.count == 4 }
    var isIPv6: Bool { bytes.count == 16 }
}

extension NetworkAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Classifies an address as public or private by IANA's registries of special-purpose addresses.
///
/// An address that the registries leave open is private, so that a public feed can only reach addresses that are known
/// to be public.
package enum AddressClass: Hashable, Sendable {
    case `public`
    case `private`(Reason)

    /// The kind of a private address.
    ///
    /// Its raw value fits between "a" and "address" in a message.
    package enum Reason: String, Sendable {
        case unspecified, loopback, multicast, broadcast, shared, documentation, benchmarking, reserved
        case linkLocal = "link-local"
        case siteLocal = "site-local"
        case privateUse = "private"
        case uniqueLocal = "unique-local"
        /// Teredo, or the NAT64 prefix for local use: the address leads to an IPv4 address that it hides.
        case tunnel
    }

    package var isPublic: Bool { self == .public }
}

extension NetworkAddress {
    /// The class of the first block below that contains the address.
    ///
    /// An IPv6 address that represents an IPv4 address has the class of the IPv4 address.
    package var addressClass: AddressClass {
        switch block {
        case .reason(let reason): .private(reason)
        case .ipv4(let offset), .gatewayToIPv4(let offset): ipv4(at: offset)?.addressClass ?? .private(.reserved)
        case .globalUnicast: .public
        case nil: isIPv4 ? .public : .private(.reserved)
        }
    }

    /// Whether the address belongs to the user's own network: loopback, link-local, private or unique-local.
    ///
    /// An address behind a tunnel or a translator, or of another special kind, may belong to a stranger.
    package var isOfOwnNetwork: Bool {
        switch block {
        case .reason(let reason): [.loopback, .linkLocal, .privateUse, .uniqueLocal].contains(reason)
        case .ipv4(let offset): ipv4(at: offset)?.isOfOwnNetwork ?? false
        case .gatewayToIPv4, .globalUnicast, nil: false
        }
    }

    private var block: AddressBlock.Kind? {
        let blocks = isIPv4 ? AddressBlock.ipv4 : AddressBlock.ipv6
        return blocks.first { $0.contains(bytes) }?.kind
    }

    private func ipv4(at offset: Int) -> NetworkAddress? {
        NetworkAddress(bytes: Array(bytes[offset..<offset + 4]))
    }
}

/// A range of addresses that begin with the same bits.
private struct AddressBlock {
    enum Kind {
        case reason(AddressClass.Reason)
        /// The address is another notation of the IPv4 address at this offset.
        case ipv4(at: Int)
        /// A gateway forwards to the IPv4 address at this offset.
        case gatewayToIPv4(at: Int)
        case globalUnicast
    }

    let prefix: [UInt8]
    let bits: Int
    let kind: Kind

    /// Makes the block of a prefix, which may omit its trailing zeros.
    init(_ prefix: [UInt8], _ bits: Int, _ kind: Kind) {
        self.prefix = prefix + [UInt8](repeating: 0, count: max(0, (bits + 7) / 8 - prefix.count))
        self.bits = bits
        self.kind = kind
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
        // The next two are IPv4-mapped and NAT64. IPv4-compatible addresses are obsolete, so that they are reserved.
        AddressBlock([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96, .ipv4(at: 12)),
        AddressBlock([0x00, 0x64, 0xFF, 0x9B], 96, .gatewayToIPv4(at: 12)),
        AddressBlock([0x00, 0x64, 0xFF, 0x9B, 0, 1], 48, .tunnel),
        AddressBlock([0xFE, 0x80], 10, .linkLocal),
        AddressBlock([0xFE, 0xC0], 10, .siteLocal),
        AddressBlock([0xFC], 7, .uniqueLocal),
        AddressBlock([0xFF], 8, .multicast),
        // This is Teredo.
        AddressBlock([0x20, 0x01], 32, .tunnel),
        AddressBlock([0x20, 0x01, 0, 2], 48, .benchmarking),
        AddressBlock([0x20, 0x01], 23, .reserved),
        AddressBlock([0x20, 0x01, 0x0D, 0xB8], 32, .documentation),
        AddressBlock([0x3F, 0xFF], 20, .documentation),
        // This is 6to4.
        AddressBlock([0x20, 0x02], 16, .gatewayToIPv4(at: 2)),
        AddressBlock([0x20], 3, .globalUnicast),
    ]
}
