/// The last guard before something is told: takes user name and password out of a URL that stands where none belongs, such
/// as in the place of a file's name.
enum Passwords {
    static func hidden(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var shown: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let authority = rest.firstRange(of: "://".utf8)?.upperBound {
            shown += rest[..<authority]
            rest = rest[authority...]
            let end = rest.firstIndex(where: endsAuthority) ?? rest.endIndex
            guard let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            shown += "***".utf8
            rest = rest[at...]
        }
        return String(decoding: shown + rest, as: UTF8.self)
    }

    /// A quotation mark doesn't: it may be a part of the password.
    private static func endsAuthority(_ byte: UInt8) -> Bool { byte <= 0x20 || "/?#".utf8.contains(byte) }
}
