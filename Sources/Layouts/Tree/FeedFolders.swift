internal import FeedCore
@_spi(_Unicode) internal import Swift

/// What the folders of feeds are called, no two the same.
struct FeedFolders {
    private static let longest = 100
    private var names = DistinctNames()

    /// By the feed's title, else by where it comes from.
    mutating func name(of feed: GalleryFeed) -> String {
        let slugs = [feed.title ?? "", feed.url.place].map(Self.slug)
        return names.name(like: slugs.first { !$0.isEmpty } ?? "feed")
    }

    /// Letters of any script and digits in lower case, with dashes between them.
    private static func slug(_ text: String) -> String {
        var slug = String.UnicodeScalarView()
        for scalar in text.lowercased()._nfc {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                slug.append(scalar)
            } else if let last = slug.last, last != "-" {
                slug.append("-")
            }
        }
        var cut = String(slug).cut(to: longest)
        if cut.last == "-" { cut.removeLast() }
        return cut
    }
}
