internal import FeedCore

/// Tells the words of a person from the names that software fills in.
enum Caption {
    /// Returns whether the words describe an image.
    ///
    /// The name of a file does not, and neither does "image 3".
    static func describes(_ words: String) -> Bool { !isFileName(words) && !isNumbered(words) }

    /// Returns the words if they describe an image.
    static func words(_ given: String?) -> String? { given.flatMap { describes($0) ? $0 : nil } }

    /// Returns whether the words are the file name of this URL without its suffix.
    static func names(_ words: String, fileOf url: ResourceURL) -> Bool {
        let name = ImageKind.fileName(in: url.text)
        let rest = name.dropFirst(words.utf8.count)
        return rest.first == UInt8(ascii: ".") && name.starts(with: words.utf8)
    }

    /// Returns whether the words end in the suffix of an image file.
    private static func isFileName(_ words: String) -> Bool {
        // The longest suffix has four letters.
        guard words.utf8.count <= 255, words.utf8.suffix(6).contains(UInt8(ascii: ".")) else { return false }
        return !words.utf8.contains(UInt8(ascii: "\n")) && ImageKind.hasImageSuffix(words)
    }

    /// Returns whether the words are only "image", "photo" or "img", with any number.
    private static func isNumbered(_ words: String) -> Bool {
        guard words.utf8.count <= 40 else { return false }
        let lower = words.lowercased()
        return ["image", "photo", "img"].contains { name in
            lower.hasPrefix(name) && lower.utf8.dropFirst(name.utf8.count).allSatisfy(isOfNumber)
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || " _-#.()".utf8.contains(byte)
    }
}
