internal import FeedCore

/// Tells whether an enclosure is an image.
///
/// Its media type decides, else the suffix of its file name.
enum ImageKind {
    static func isImage(type: String?, reference: String) -> Bool {
        isImage(type: type) ?? hasImageName(reference)
    }

    /// Returns nil for a vague type, such as `application/octet-stream`, and for a different text, such as
    /// `jpg`.
    static func isImage(type: String?) -> Bool? {
        guard let type = type.flatMap(FoldedText.fold)?.lowercased().utf8 else { return nil }
        if type.elementsEqual("image".utf8) || type.starts(with: "image/".utf8) { return true }
        let isVague = !type.contains(UInt8(ascii: "/")) || vagueTypes.contains { type.starts(with: $0.utf8) }
        return isVague ? nil : false
    }

    private static let vagueTypes = [
        "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/binary",
        "application/force-download", "application/unknown", "unknown/",
        // Common misspellings.
        "application/jpg", "application/jpeg", "application/png", "application/gif", "application/webp", "img/",
    ]

    /// Returns whether a link leads to an image file.
    ///
    /// The wiki page of a file ends in the file's name, too: `File:Name.jpg`. An encoded URL in the last component of a
    /// path is not such a name.
    static func isNamedAsImage(_ reference: String) -> Bool {
        guard hasImageName(reference) else { return false }
        let decoded = PercentEncoding.decode(fileName(in: reference)) ?? ""
        guard let colon = decoded.firstIndex(of: ":") else { return true }
        return decoded[colon...].hasPrefix("://") || !decoded[..<colon].allSatisfy(\.isLetter)
    }

    /// Returns the last component of the path.
    static func fileName(in reference: String) -> Substring.UTF8View {
        let path = reference.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path
    }

    /// Returns whether the words end in the suffix of an image file.
    static func hasImageSuffix(_ words: String) -> Bool {
        suffix(of: words.utf8[...]).map(imageSuffixes.contains) == true
    }

    static func hasImageName(_ reference: String) -> Bool { !imageSuffixes.isDisjoint(with: suffixes(of: reference)) }
    static func hasFilmName(_ reference: String) -> Bool { !filmSuffixes.isDisjoint(with: suffixes(of: reference)) }

    private static let imageSuffixes: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "bmp", "tif", "tiff", "ico",
        "jxl", "svg",
    ]
    private static let filmSuffixes: Set<String> = [
        "mp4", "m4v", "mov", "webm", "ogv", "avi", "flv", "f4v", "swf", "wmv", "mpg", "mpeg", "mkv", "3gp", "3g2",
        "m3u8", "mpd",
    ]

    /// Returns the suffixes of the file name; a reference to a host has none.
    ///
    /// The part before a semicolon counts, too, because parameters such as `jsessionid` may follow it.
    static func suffixes(of reference: String) -> [String] {
        let slash = UInt8(ascii: "/")
        let path = reference.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let start = path.lastIndex(of: slash).map { path.index(after: $0) } ?? path.startIndex
        let before = path[..<start].dropLast(2)
        let isServer = path[..<start].suffix(2).elementsEqual("//".utf8) && !before.contains(slash)
        let mayHaveSuffix = path[start...].contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }
        guard !isServer, mayHaveSuffix else { return [] }
        let name = PercentEncoding.decode(path[start...]) ?? String(Substring(path[start...]))
        return [name.utf8[...], name.utf8.prefix { $0 != UInt8(ascii: ";") }].compactMap(suffix(of:))
    }

    private static func suffix(of name: Substring.UTF8View) -> String? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.distance(from: dot, to: name.endIndex) <= 6 else {
            return nil
        }
        return Substring(name[name.index(after: dot)...]).lowercased()
    }
}
