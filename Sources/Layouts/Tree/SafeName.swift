@_spi(_Unicode) internal import Swift

/// Makes file names that are valid on ext4, exFAT, NTFS and SMB.
enum SafeName {
    static let maxLength = 200

    /// Makes a name from a text: in Unicode's composed form, and without the characters that a file system or a person
    /// could misread.
    static func make(_ text: String, limit: Int = maxLength) -> String {
        if text.isPlain, text.utf8.count <= limit { return text }
        var name = String.UnicodeScalarView()
        for scalar in text._nfc {
            guard let scalar = replacement(for: scalar) else { continue }
            // Blanks are dropped at the beginning and after another blank.
            if scalar == " ", name.last == " " || name.isEmpty { continue }
            name.append(scalar)
        }
        // A dot at the beginning hides a file.
        if name.first == "." { name.replaceSubrange(..<name.index(after: name.startIndex), with: ["_"]) }
        let cut = String(name).cut(to: limit)
        if cut.isEmpty { return "_" }
        guard cut.isDevice else { return cut }
        let stem = cut.stem
        return (String(stem) + "_" + String(cut.unicodeScalars[stem.endIndex...])).cut(to: limit)
    }

    /// Returns the character itself or its replacement; nil for an invisible character.
    private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x2028, 0x2029: " "
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF:
            nil
        case 0xFDD0...0xFDEF, 0xFFF9...0xFFFD: nil
        case let code where code & 0xFFFE == 0xFFFE: nil
        default: "<>:\"/\\|?*".unicodeScalars.contains(scalar) ? "_" : scalar
        }
    }

    /// Returns the form in which two names of a directory are compared.
    ///
    /// It ignores case.
    static func key(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        var key = String.UnicodeScalarView()
        for scalar in name.lowercased().uppercased().lowercased()._nfc { key.append(scalar) }
        return String(key)
    }
}

extension String {
    /// Returns the text cut to a number of bytes between two characters, and without dots and blanks at the end.
    func cut(to limit: Int) -> String {
        var cut = self[...]
        if utf8.count > limit {
            var end = startIndex
            var size = 0
            while end < endIndex {
                size += self[end].utf8.count
                if size > limit { break }
                end = index(after: end)
            }
            cut = self[..<end]
        }
        while let last = cut.last, last == "." || last == " " { cut.removeLast() }
        return String(cut)
    }

    /// Whether the text is a safe name as it is, as most texts are.
    fileprivate var isPlain: Bool {
        var last = UInt8(ascii: " ")
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: " ") where last == byte: return false
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ","), UInt8(ascii: "'"):
                break
            default: return false
            }
            last = byte
        }
        return last != UInt8(ascii: " ") && !isDevice
    }

    /// The part before the first dot.
    ///
    /// The search is for scalars, because a dot can carry an accent.
    fileprivate var stem: Substring.UnicodeScalarView { unicodeScalars.prefix { $0 != "." } }

    /// Whether Windows would open a device by this name.
    ///
    /// It ignores the extension.
    fileprivate var isDevice: Bool {
        var stem = stem
        while stem.last == " " { stem.removeLast() }
        guard (3...7).contains(stem.count) else { return false }
        let name = String(stem).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(name) { return true }
        guard name.count == 4, name.hasPrefix("COM") || name.hasPrefix("LPT"), let last = name.last else {
            return false
        }
        return "0123456789¹²³".contains(last)
    }
}
