/// An IPv4 or IPv6 address: what a name turned out to mean.
package struct NetworkAddress: Hashable, Sendable {
    /// In network order: 4 of them, or 16.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package var isIPv4: Bool { bytes.count == 4 }
    var isIPv6: Bool { bytes.count == 16 }
}

extension NetworkAddress {
    /// Reads the one strict notation: `127.1`, `0177.0.0.1`, `[::1]` and `fe80::1%eth0` are none.
    package init?(presentation text: String) {
        let characters = Array(text.utf8)
        // The longest is eight full groups, the last two of them written as IPv4.
        guard characters.count <= 45, let bytes = Self.ipv4(characters[...]) ?? Self.ipv6(characters[...]) else {
            return nil
        }
        self.bytes = bytes
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let bytes = numbers.compactMap(decimalByte)
        return numbers.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// Without leading zeros, which some read as octal.
    private static func decimalByte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0"), digits.count <= 3 else {
            return nil
        }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt8(exactly: digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }

    private static func ipv6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            let bytes = groups(text, mayEndInIPv4: true)
            return bytes?.count == 16 ? bytes : nil
        }
        guard let head = groups(text[..<gap], mayEndInIPv4: false),
            let tail = groups(text[(gap + 2)...], mayEndInIPv4: true), head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var pieces = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var end: [UInt8] = []
        if mayEndInIPv4, let last = pieces.last, let address = ipv4(last) {
            end = address
            pieces.removeLast()
        }
        var bytes: [UInt8] = []
        for piece in pieces {
            guard (1...4).contains(piece.count), piece.allSatisfy(isHexDigit),
                let group = UInt16(String(decoding: piece, as: UTF8.self), radix: 16)
            else { return nil }
            bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        return bytes + end
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// As RFC 5952 writes it: lower case, no leading zeros, the longest run of zero groups left out.
    package var description: String {
        if isIPv4 { return Self.dotted(bytes[...]) }
        if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return "::ffff:" + Self.dotted(bytes[12...])
        }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let texts = groups.map { String($0, radix: 16) }
        let gap = Self.longestZeroRun(groups)
        guard gap.count > 1 else { return texts.joined(separator: ":") }
        return texts[..<gap.lowerBound].joined(separator: ":") + "::" + texts[gap.upperBound...].joined(separator: ":")
    }

    private static func dotted(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { String($0) }.joined(separator: ".")
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<(index + 1) }
        }
        return longest
    }
}
