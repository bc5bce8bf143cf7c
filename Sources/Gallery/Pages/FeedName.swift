internal import FeedCore

/// The name of a feed on the pages, and in their names.
struct FeedName {
    let title: String
    /// Where it comes from, without what may be secret: the query, and the folders of this machine.
    let origin: String

    init(_ feed: GalleryFeed) {
        if let path = feed.url.filePath {
            let file = FilePath.names(in: path).last ?? "a local file"
            let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? ""
            origin = String(stem.isEmpty ? file : stem)
        } else {
            let address = feed.url.text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "?" && $0 != "#" }
            origin = address.hasSuffix("/") ? String(address.dropLast()) : String(address)
        }
        title = HTMLWriter.visible(feed.title) ?? origin
    }

    private static let longestSlug = 40

    /// It has no dot: one precedes the number of a page.
    var slug: String {
        let beginning = String(title.unicodeScalars.prefix(4 * Self.longestSlug))
        let slug = Slug.make(beginning, limit: Self.longestSlug)
        return slug.isEmpty ? "feed" : slug
    }
}

/// Gives each feed's pages a name of their own.
struct PageNames {
    private var names = DistinctNames(taken: ["index"])

    mutating func name(for feed: FeedName) -> String { names.name(like: feed.slug) }

    /// The file of a page: `name.html`, `name.2.html`.
    static func file(_ name: String, page: Int) -> String { page == 1 ? "\(name).html" : "\(name).\(page).html" }
}
