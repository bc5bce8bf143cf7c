/// Decides where a walk through the pages of a feed goes on.
struct PageTrail: Sendable {
    /// The URL of the first page, after redirects.
    private let place: ResourceURL
    private let origins: Set<String>
    /// The hashes of the pages and items of this walk, which take little memory.
    private var pages: Set<Int>
    private var items: Set<Int> = []
    private(set) var notes: [String] = []

    /// `redirected` is the URL of the first page if a redirect led there.
    init(from url: ResourceURL, _ redirected: ResourceURL?) {
        let places = [url, redirected].compactMap { $0 }
        place = redirected ?? url
        origins = Set(places.map(\.origin))
        pages = Set(places.map(\.keyWithoutFragment.hashValue))
    }

    /// Returns the page after this one; nil at the end of the walk.
    ///
    /// A feed of WordPress names no further page. It ends with a page that is empty or that contains nothing new.
    mutating func next(after page: DecodedFeed, number: Int) -> FeedPage? {
        let known = items.count
        items.formUnion(page.itemHashes)
        if let url = page.nextPage { return FeedPage(url: url, number: number + 1) }
        guard page.isOfWordPress, items.count > known, place.isRemote else { return nil }
        let first = place.parameter("paged").flatMap { DecimalDigits.number($0[...]) } ?? 1
        let guess = place.setting("paged", to: "\(max(1, first) &+ Int64(number))")
        return FeedPage(url: guess, number: number + 1, isGuessed: true)
    }

    func hasSeen(_ page: FeedPage) -> Bool { pages.contains(page.url.keyWithoutFragment.hashValue) }

    /// Returns whether the walk may go on at this URL, from a link or a redirect.
    ///
    /// A page that was seen before, or that is on another origin, ends the walk. The URL counts as seen from then on.
    mutating func enters(_ url: ResourceURL) -> Bool {
        guard origins.contains(url.origin) else {
            notes.append("left out the next page, as it is at another origin than the feed: \(url)")
            return false
        }
        return pages.insert(url.keyWithoutFragment.hashValue).inserted
    }
}
