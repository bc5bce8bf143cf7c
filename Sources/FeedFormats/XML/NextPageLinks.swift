internal import FeedCore

/// What a feed in XML says about its further pages.
struct NextPageLinks {
    private typealias Link = (reference: String, base: ResourceURL?)

    private var next: Link?
    /// The page of the archive before this one (RFC 5005).
    private var previousArchive: Link?
    private(set) var isOfWordPress = false

    /// Takes a link of the feed; the first one of each relation counts.
    mutating func add(_ link: XMLElement) {
        guard let reference = link.attribute("href") else { return }
        if next == nil, link.isLink("next") { next = (reference, link.base) }
        if previousArchive == nil, link.isLink("prev-archive") { previousArchive = (reference, link.base) }
    }

    /// Takes the name or the URL of the program that wrote the feed.
    mutating func add(generator: String?) {
        guard let name = generator.flatMap(FoldedText.fold)?.lowercased() else { return }
        if name == "wordpress" || name.hasPrefix("wordpress ") { isOfWordPress = true }
        for scheme in ["http://", "https://"] where name.hasPrefix(scheme) {
            let host = name.dropFirst(scheme.count).prefix { !"/?#:".contains($0) }
            if Self.hosts.contains(String(host)) { isOfWordPress = true }
        }
    }

    private static let hosts: Set<String> = [
        "wordpress.org", "www.wordpress.org", "wordpress.com", "www.wordpress.com",
    ]

    /// Returns the URL of the next page; nil if the feed names none.
    func nextPage(in collector: ImageCollector) -> ResourceURL? {
        collector.page(next?.reference, from: next?.base)
            ?? collector.page(previousArchive?.reference, from: previousArchive?.base)
    }
}
