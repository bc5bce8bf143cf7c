internal import FeedCore

/// Text made fit for a name anywhere: lower-case letters, digits, and single dashes between them.
enum Slug {
    static func make(_ text: String, limit: Int) -> String {
        var slug: [UInt8] = []
        for byte in text.utf8 {
            if slug.count >= limit { break }
            switch byte {
            case 0x30...0x39, 0x61...0x7A: slug.append(byte)
            case 0x41...0x5A: slug.append(byte | 0x20)
            default: if let last = slug.last, last != dash { slug.append(dash) }
            }
        }
        if slug.last == dash { slug.removeLast() }
        return String(decoding: slug, as: UTF8.self)
    }

    private static let dash = UInt8(ascii: "-")
}

/// Names for feeds, no two the same.
struct FeedNames {
    /// A tag in a registry has at most 128 characters, and the number of a part comes behind it.
    private static let longest = 100
    private var names = DistinctNames()

    mutating func name(title: String?, url: String) -> String {
        var slug = Slug.make(title ?? "", limit: Self.longest)
        if slug.isEmpty {
            // Without the scheme, which tells nothing apart.
            let rest = url.split(separator: ":", maxSplits: 1).last.map(String.init) ?? url
            slug = Slug.make(rest, limit: Self.longest)
        }
        return names.name(like: slug.isEmpty ? "feed" : slug)
    }
}
