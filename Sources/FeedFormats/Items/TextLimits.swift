/// How much of a text is kept that an item hands to each of its images, or that is shown in one line.
enum TextLimits {
    /// In UTF-8. Alternative texts run to some paragraphs; what is longer is a whole article that went astray.
    private static let longest = 8192
    /// Ids are URLs, or made up.
    private static let longestID = 4096

    /// Cut where a character ends, with an ellipsis for the rest.
    static func shortened(_ text: String) -> String {
        text.utf8.count <= longest ? text : beginning(of: text, longest) + "…"
    }

    /// An id tells items apart, on this page of a feed and on others, today and tomorrow: what stands for the rest is made
    /// of all of it.
    static func shortenedID(_ id: String) -> String {
        id.utf8.count <= longestID ? id : "\(beginning(of: id, longestID - 16))…\(hash(id))"
    }

    private static func beginning(of text: String, _ length: Int) -> Substring {
        // Down to where a scalar ends; the last character may have gone on.
        let cut = text[..<text.utf8.index(text.startIndex, offsetBy: length - "…".utf8.count)]
        let whole = cut.dropLast()
        return whole.isEmpty ? cut : whole
    }

    /// FNV-1a: the same on every machine and in every run. Who makes two ids that agree in it harms their own feed.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
