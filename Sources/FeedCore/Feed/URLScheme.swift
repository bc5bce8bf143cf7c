package enum URLScheme: String, Sendable {
    case http, https, file

    /// Reads the scheme at the beginning of a text, in any case.
    package init?(of bytes: Span<UInt8>) {
        guard bytes.count > 5 else { return nil }
        var word: UInt32 = 0
        for index in 0..<4 { word = word << 8 | UInt32(bytes[index] | 0x20) }
        let colon = UInt8(ascii: ":")
        switch word {
        case 0x6874_7470 where bytes[4] == colon: self = .http
        case 0x6874_7470 where bytes[4] | 0x20 == UInt8(ascii: "s") && bytes[5] == colon: self = .https
        case 0x6669_6C65 where bytes[4] == colon: self = .file
        default: return nil
        }
    }

    /// The port that a URL may leave out. It has no meaning for a file.
    var usualPort: Int { self == .http ? 80 : 443 }

    /// Whether a text that begins with this scheme writes it in small letters.
    func isLowercase(in bytes: Span<UInt8>) -> Bool {
        for index in 0..<rawValue.utf8.count where bytes[index] & 0x20 == 0 { return false }
        return true
    }
}
