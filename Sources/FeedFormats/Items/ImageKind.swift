/// Whether an enclosure is a picture: by its type, or, where that says nothing, by the name of the file.
enum ImageKind {
    static func isImage(type: String?, reference: String) -> Bool {
        isImage(type: type) ?? hasImageName(reference)
    }

    /// Nil for what servers say that know no better, and for what is no type at all, such as `jpg`.
    static func isImage(type: String?) -> Bool? {
        guard let type = type.flatMap(FoldedText.fold)?.lowercased().utf8 else { return nil }
        if type.elementsEqual("image".utf8) || type.starts(with: "image/".utf8) { return true }
        let isVague = !type.contains(UInt8(ascii: "/")) || vagueTypes.contains { type.starts(with: $0.utf8) }
        return isVague ? nil : false
    }

    private static let vagueTypes = [
        "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/binary",
        "application/force-download", "application/unknown", "unknown/",
    ]

    static func hasImageName(_ reference: String) -> Bool { suffix(of: reference).map(imageSuffixes.contains) == true }
    static func hasFilmName(_ reference: String) -> Bool { suffix(of: reference).map(filmSuffixes.contains) == true }

    private static let imageSuffixes: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "bmp", "tif", "tiff", "ico",
        "jxl", "svg",
    ]
    private static let filmSuffixes: Set<String> = [
        "mp4", "m4v", "mov", "webm", "ogv", "avi", "flv", "f4v", "swf", "wmv", "mpg", "mpeg", "mkv", "3gp", "3g2",
        "m3u8",
        "mpd",
    ]

    private static func suffix(of reference: String) -> String? {
        let path = reference.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), path.distance(from: dot, to: path.endIndex) <= 6 else {
            return nil
        }
        return Substring(path[path.index(after: dot)...]).lowercased()
    }
}
