extension String {
    /// The text without the credentials of URLs in it.
    ///
    /// Everything that browsers or curl take for credentials goes, and in doubt more goes than less.
    ///
    /// | before the name of a server stands    |                                              |
    /// |---------------------------------------|----------------------------------------------|
    /// | `http:`, `https:`, `ws:`, `wss:`, `ftp:` | any number of slashes, also none          |
    /// | another scheme, but `file:`           | at least one                                 |
    /// | no scheme                             | at least two, as on a page                   |
    ///
    /// Backslashes count as slashes, and tabs and line breaks are skipped.
    package var withoutPasswords: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        var place = PlaceInURL()
        var shown: [UInt8] = []
        for byte in utf8 {
            if byte == UInt8(ascii: "@"), let host = place.host {
                // A password can contain an @ and a host cannot, so the last @ counts.
                shown.removeSubrange(host...)
            } else {
                shown.append(byte)
                place.read(byte, end: shown.count)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}

/// Reads a text byte by byte, and knows where the name of a server would begin.
private struct PlaceInURL {
    /// The index at which the name began, as long as nothing has ended it.
    private(set) var host: Int?
    /// The letters and digits before this byte, in lower case.
    private var word: [UInt8] = []
    private var slashes = 0
    private var slashesNeeded = 2

    /// Reads one byte.
    ///
    /// `end` is the index after it.
    mutating func read(_ byte: UInt8, end: Int) {
        switch byte {
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            if host == end - 1 { host = end }
        case UInt8(ascii: "/"), UInt8(ascii: "\\"):
            readSlash(byte, end)
        case UInt8(ascii: "?"), UInt8(ascii: "#"):
            begin()
        case _ where host != nil:
            break
        case UInt8(ascii: ":"):
            readColon(end)
        default:
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isFurther = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
            // The word is changed in place, because an id may be one word of hundreds of thousands of letters.
            (slashes, slashesNeeded) = (0, 2)
            if isLetter || isFurther && !word.isEmpty {
                word.append(isLetter ? byte | 0x20 : byte)
            } else {
                word = []
            }
        }
    }

    private mutating func begin() { self = PlaceInURL() }

    private mutating func readSlash(_ byte: UInt8, _ end: Int) {
        guard let host else {
            // The path `C:\` begins like a scheme.
            if byte == UInt8(ascii: "\\"), slashesNeeded == 1, slashes == 0 { slashesNeeded = 2 }
            slashes += 1
            word = []
            if slashes >= slashesNeeded { self.host = end }
            return
        }
        if host == end - 1 {
            self.host = end
        } else if byte == UInt8(ascii: "/") || slashesNeeded == 2 {
            begin()
            slashes = 1
        }
        // curl treats a backslash as a part of a password.
    }

    private mutating func readColon(_ end: Int) {
        let scheme = word
        begin()
        guard !scheme.isEmpty else { return }
        switch String(decoding: scheme, as: UTF8.self) {
        case "http", "https", "ws", "wss", "ftp": (slashesNeeded, host) = (0, end)
        case "file": break
        default: slashesNeeded = 1
        }
    }
}
