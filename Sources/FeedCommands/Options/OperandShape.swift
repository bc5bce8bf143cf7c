import FeedCore

/// An operand taken apart as a URL is, whether it is one or not. By its bytes: a mark that combines with a sign would
/// hide the sign.
struct OperandShape {
    typealias Bytes = Substring.UTF8View

    /// By RFC 3986; nil for a path. A `/` before any `:` makes it a path.
    let scheme: Bytes?
    /// What keeps it from beginning with its scheme, such as a quote, and that scheme.
    let misplaced: (surplus: Bytes, scheme: Bytes)?
    /// Up to the first slash: of a path, its first folder.
    let first: Bytes
    /// What stands before the place of a server, as `http://`, `'http://` or `//`; empty where nothing does.
    let beginning: Bytes
    /// All that follows.
    let place: Bytes
    /// Where in it a server would stand, with a user name, a password and a port.
    let authority: Bytes

    init(_ operand: String) {
        let all = operand[...].utf8
        first = all.prefix { $0 != UInt8(ascii: "/") }
        scheme = Self.scheme(first)
        let isBeforeSlashes = Self.hasSlashes(all, at: first.endIndex)
        let isScheme = scheme == nil && first.endIndex < all.endIndex && first.last == UInt8(ascii: ":")
        misplaced = isScheme ? Self.misplaced(first, isBeforeSlashes: isBeforeSlashes) : nil
        var end = all.startIndex
        if let scheme = scheme ?? misplaced?.scheme {
            end = all.index(after: scheme.endIndex)
            if Self.hasSlashes(all, at: end) { end = all.index(end, offsetBy: 2) }
        } else if isBeforeSlashes, !first.contains(UInt8(ascii: ":")) {
            end = all.index(first.endIndex, offsetBy: 2)
        }
        beginning = all[..<end]
        place = all[end...]
        authority = place.prefix { !"/?#".utf8.contains($0) }
    }

    private static func scheme(_ first: Bytes) -> Bytes? {
        let scheme = first.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.endIndex < first.endIndex, let letter = scheme.first, isLetter(letter),
            scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return scheme
    }

    /// Of what ends in a colon, before a slash.
    private static func misplaced(_ first: Bytes, isBeforeSlashes: Bool) -> (surplus: Bytes, scheme: Bytes)? {
        let surplus = first.prefix { !isLetter($0) }
        if let scheme = scheme(first[surplus.endIndex...]), isKnown(scheme) { return (surplus, scheme) }
        guard isBeforeSlashes else { return nil }
        let rest = first.dropLast()
        let start = rest.lastIndex { !isLetter($0) }.map { rest.index(after: $0) } ?? rest.startIndex
        return start < rest.endIndex ? (rest[..<start], rest[start...]) : nil
    }

    static func isKnown(_ scheme: Bytes) -> Bool {
        ResourceURL.Scheme(rawValue: String(Substring(scheme)).lowercased()) != nil
    }

    private static func hasSlashes(_ bytes: Bytes, at index: Bytes.Index) -> Bool {
        bytes[index...].starts(with: "//".utf8)
    }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
