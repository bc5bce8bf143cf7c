internal import FeedCore

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
