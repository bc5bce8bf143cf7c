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

    /// It has no dot: one precedes the number of a page.
    var slug: String {
        let slug = Slug.make(origin, limit: 40)
        return slug.isEmpty ? "feed" : slug
    }
}
