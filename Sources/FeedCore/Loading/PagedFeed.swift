/// The pages of one feed as they come, and all of them as one feed.
struct PagedFeed {
    private let first: DecodedFeed
    private(set) var count = 1
    private var pageNotes: [String]
    private var images: [FeedImage]
    private(set) var next: FeedPage?
    private(set) var trail: PageTrail
    private let mostImages: Int
    /// The ids of the items of all pages; nil while there is one page.
    private var items: Set<ExactText>?

    init(_ page: DecodedFeed, _ trail: PageTrail, mostImages: Int) {
        first = page
        self.trail = trail
        self.mostImages = mostImages
        images = page.feed.images
        pageNotes = page.notes
        next = self.trail.next(after: page, number: 1)
    }

    /// The pause between two requests that the feed asks for.
    var interval: Duration? { first.interval }

    var feed: Feed { first.feed.with(images) }

    var notes: [String] { pageNotes + trail.notes }

    /// Returns the next page; nil at the end of the walk.
    mutating func takeNext() -> FeedPage? {
        guard let page = next, trail.enters(page.url) else { return nil }
        next = nil
        return page
    }

    /// Returns whether the walk may go on at the URL to which a redirect led.
    mutating func enters(_ url: ResourceURL) -> Bool { trail.enters(url) }

    /// Adds the new items of a page.
    ///
    /// Items can move on to further pages while these are requested.
    mutating func add(_ page: DecodedFeed) throws(FeedError) {
        var known = items ?? Set(first.items.map(first.id(of:)))
        // The set has one owner, so that it grows in place.
        items = nil
        let new = page.items.filter { !known.contains(page.id(of: $0)) }
        for item in new {
            images += page.feed.images[item]
            known.insert(page.id(of: item))
        }
        guard images.count <= mostImages else { throw .invalidData(FeedSizeLimit.tooMany(mostImages)) }
        items = known
        count += 1
        pageNotes += page.notes
        next = trail.next(after: page, number: count)
    }
}

extension DecodedFeed {
    /// The ranges of the images of each item.
    var items: [Range<Int>] {
        if itemStarts.isEmpty { return feed.images.indices.map { $0..<$0 + 1 } }
        return zip(itemStarts, itemStarts.dropFirst() + [feed.images.count]).map { $0..<$1 }
    }

    /// Returns the id of the first image, which is the id of the item.
    ///
    /// An item without an id has the URLs of all its images as its id, because all items of a show may begin with the
    /// same image.
    fileprivate func id(of item: Range<Int>) -> ExactText {
        let images = feed.images[item]
        guard images.allSatisfy({ $0.id == $0.url.text }) else { return ExactText(feed.images[item.lowerBound].id) }
        return ExactText(images.map(\.id).joined(separator: "\n"))
    }
}
