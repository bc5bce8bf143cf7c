internal import FeedCore
internal import Glibc

/// Converts text in any encoding to UTF-8 with the C library's iconv.
///
/// U+FFFD replaces each byte that is invalid in the encoding.
final class TextDecoder {
    static let replacement = Array("\u{FFFD}".utf8)

    private let descriptor: iconv_t
    private let unit: Int

    /// Creates a decoder; nil if the system does not support the encoding.
    init?(_ encoding: String) {
        guard let descriptor = iconv_open("UTF-8", encoding), Int(bitPattern: descriptor) != -1 else { return nil }
        self.descriptor = descriptor
        unit = encoding.hasPrefix("UTF-16") ? 2 : 1
    }

    deinit { iconv_close(descriptor) }

    /// Returns the text in UTF-8; nil if it would be more than twice as long.
    ///
    /// Real feeds stay below that, and the limit bounds the memory.
    func utf8(of bytes: [UInt8]) -> [UInt8]? {
        var length = 0
        decode(bytes) { length += $0.count }
        guard length <= 4096 + 2 * bytes.count else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(length)
        decode(bytes) { text += $0 }
        return text
    }

    /// Returns the characters of the bytes from 0x80 on; nil unless the encoding writes each character as one byte and
    /// ASCII as ASCII.
    func singleBytes() -> [[UInt8]]? {
        var characters: [[UInt8]] = []
        for byte in UInt8.min...UInt8.max {
            iconv(descriptor, nil, nil, nil, nil)
            var input = CChar(bitPattern: byte)
            let character: [UInt8]? = withUnsafeMutablePointer(to: &input) { self.character(at: $0) }
            // iconv may hold back a letter, because an accent may follow.
            guard let character, !character.isEmpty, byte >= 0x80 || character == [byte] else { return nil }
            if byte >= 0x80 { characters.append(character) }
        }
        iconv(descriptor, nil, nil, nil, nil)
        return characters
    }

    /// Returns nil if the character has further bytes.
    private func character(at byte: UnsafeMutablePointer<CChar>) -> [UInt8]? {
        var input: UnsafeMutablePointer<CChar>? = byte
        var left = 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { room -> [UInt8]? in
            var output = room.baseAddress
            var free = room.count
            guard iconv(descriptor, &input, &left, &output, &free) != -1 else {
                return errno == EILSEQ ? Self.replacement : nil
            }
            return room[..<(room.count - free)].map { UInt8(bitPattern: $0) }
        }
    }

    private func decode(_ bytes: [UInt8], _ take: (Slice<UnsafeMutableRawBufferPointer>) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var input = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            var left = bytes.count
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
                while true {
                    var output = room.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var free = room.count
                    // iconv may hold back a letter to see whether an accent follows. The last call fetches it.
                    let isLast = left == 0
                    let result =
                        isLast
                        ? iconv(descriptor, nil, nil, &output, &free)
                        : iconv(descriptor, &input, &left, &output, &free)
                    let reason = errno
                    if free < room.count { take(room[..<(room.count - free)]) }
                    guard !isLast else { return }
                    guard result == -1, reason != E2BIG, let start = input else { continue }
                    Self.replacement.withUnsafeBytes { bytes in
                        room.copyMemory(from: bytes)
                        take(room[..<bytes.count])
                    }
                    input = start + min(unit, left)
                    left -= min(unit, left)
                }
            }
        }
    }
}

/// Recognises UTF-16, with or without a byte order mark.
enum WideText {
    /// Returns iconv's name for the kind of UTF-16 in which markup is written; nil for other text.
    static func encoding(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16BE" }
        if bytes.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
        for (encoding, index) in [("UTF-16BE", 1), ("UTF-16LE", 0)] where isMarkup(bytes, lowByte: index) {
            return encoding
        }
        return nil
    }

    /// Returns whether the bytes are markup with each character in two bytes.
    ///
    /// `lowByte` is the index of the byte that tells ASCII characters apart.
    static func isMarkup(_ bytes: [UInt8], lowByte: Int) -> Bool {
        var start = 0
        while start + 1 < bytes.count, bytes[start + 1 - lowByte] == 0 {
            let byte = bytes[start + lowByte]
            guard LeadingBytes.isWhitespace(byte) else { return byte == UInt8(ascii: "<") }
            start += 2
        }
        return false
    }

    /// Returns whether the bytes are markup in UTF-16.
    static func isMarkup(_ bytes: [UInt8]) -> Bool {
        let isMarked = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        let text = isMarked ? Array(bytes.dropFirst(2).prefix(1024)) : bytes
        return isMarkup(text, lowByte: 0) || isMarkup(text, lowByte: 1)
    }
}

/// Maps the labels that documents and servers use for encodings to iconv's names.
enum EncodingLabel {
    /// Returns iconv's name for a label; nil for an unsupported one.
    ///
    /// Feeds may choose only among these encodings: iconv knows others that can hide markup.
    static func decoder(for label: String) -> String? {
        let label = label.lowercased()
        if let superset = supersets[label] { return superset }
        let isUsual = prefixes.contains { label.hasPrefix($0) } && label.utf8.allSatisfy(isPartOfName)
        return isUsual ? label.uppercased() : nil
    }

    /// Returns whether the label means UTF-8 or UTF-16, which the bytes themselves show.
    static func isUnicode(_ label: String) -> Bool {
        let label = label.lowercased()
        return label.hasPrefix("utf") || label.hasPrefix("unicode") || label.hasPrefix("ucs-2")
    }

    /// Returns whether the bytes are UTF-8.
    ///
    /// The escape of ISO-2022-JP, which otherwise looks like ASCII, excludes it; XML forbids that character.
    static func isUTF8(_ bytes: [UInt8]) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return !bytes.contains(0x1B)
        } catch {
            return false
        }
    }

    /// Returns the encoding that a media type such as `text/xml; charset="koi8-r"` names; nil for an unsupported one,
    /// and for UTF-8, which the bytes have ruled out.
    static func decoder(inMediaType type: String?) -> String? {
        for parameter in type?.split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "charset" else { continue }
            let label = parts[1].trimmed.filter { $0 != "\"" && $0 != "'" }
            if let decoder = decoder(for: label) { return decoder }
        }
        return nil
    }

    private static let prefixes = ["iso-8859-", "iso8859-", "iso_8859-", "latin", "koi8-", "windows-125", "cp125"]

    /// The supersets that browsers use for some standard labels, because most text with such a label was written in the
    /// superset.
    private static let supersets: [String: String] = [
        "us-ascii": "CP1252", "ascii": "CP1252", "x-cp1252": "CP1252", "x-cp1251": "CP1251",
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "windows-31j": "CP932",
        "euc-jp": "EUC-JP-MS", "x-euc-jp": "EUC-JP-MS", "iso-2022-jp": "ISO-2022-JP",
        "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030", "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS",
        "euc-kr": "CP949", "ks_c_5601-1987": "CP949", "cp949": "CP949",
        "tis-620": "CP874", "windows-874": "CP874", "ibm866": "IBM866", "cp866": "IBM866", "macintosh": "MACINTOSH",
        "x-mac-cyrillic": "MAC-CYRILLIC", "mac-cyrillic": "MAC-CYRILLIC", "x-mac-ukrainian": "MAC-CYRILLIC",
    ]

    /// Corrects the characters of an encoding from 0x80 on where the C library differs from browsers, which read the
    /// last one of Mac Cyrillic as the euro sign.
    static func correct(_ characters: inout [[UInt8]]?, of encoding: String) {
        if encoding == "MAC-CYRILLIC" { characters?[0x7F] = Array("€".utf8) }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}

extension Substring {
    var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
