internal import FeedCore
internal import JSONText

/// Makes feed images from items, for the formats whose items may have any number of images, valid and invalid ones.
struct ImageCollector {
    private(set) var notes = FeedNotes()
    private var images: [FeedImage] = []
    private var items: [Furniture.Item] = []
    /// Whether only `<img>` tags name the image, for each image.
    private var areTags: [Bool] = []
    private var budget: TextBudget
    private var itemCount = 0
    /// The hashes of all items, also of those without an image.
    private(set) var itemHashes: Set<Int> = []
    private let links: ImageLinks
    private let mostImages: Int
    private let keepsDecoration: Bool
    private let followsLinks: Bool
    private let filter: ImageFilter?
    private let beginning: (ItemText, Int) -> String?
    private let feed: ResourceURL
    /// The channel's link, against which references without an `xml:base` resolve; nil for the feed's own URL.
    private var base: ResourceURL?
    /// The items before the channel's link, from the first one that has a relative reference; nil after the link.
    private var waiting: [FeedItem]? = []
    private var waitingCount = 0
    /// The number of images after which items no longer wait for the link.
    ///
    /// Each waiting item takes many times the memory of its element.
    private static let mostWaiting = 50_000

    /// The most characters of a text that describes an image.
    private static let longestWords = 200

    /// Creates a collector.
    ///
    /// `beginning` returns the first characters of a text.
    init(
        in document: FeedSource, taking selection: ImageSelection, beginning: @escaping (ItemText, Int) -> String?
    ) {
        self.beginning = beginning
        feed = document.url
        links = ImageLinks(in: document.url)
        mostImages = document.mostImages
        budget = TextBudget(for: document)
        keepsDecoration = selection.all
        followsLinks = selection.follows
        filter = ImageFilter(selection)
    }

    /// Sets the base, if the link is a valid URL, and adds the items that waited for it.
    mutating func setBase(_ link: String, from other: ResourceURL? = nil) throws(DecodingFailure) {
        guard waiting != nil else { return }
        base = page(link, from: other) ?? base
        try addWaiting()
    }

    /// Returns the URL of another page; nil for an invalid reference.
    func page(_ reference: String?, from base: ResourceURL?) -> ResourceURL? {
        guard let reference else { return nil }
        do { return try links.target(of: reference, from: base) } catch { return nil }
    }

    /// Adds an item, as soon as its relative references can be resolved.
    mutating func add(_ given: FeedItem) throws(DecodingFailure) {
        try DecodingFailure.check()
        itemCount += 1
        itemHashes.insert(given.identity)
        notes.others.add(given.others)
        var item = given.withOneSubject
        item.number = itemCount
        let mustWait = waiting.map { !$0.isEmpty || item.hasRelativeReference } == true
        guard mustWait else { return try collect(item) }
        waiting?.append(item)
        waitingCount += 1 + item.images.count + item.substitutes.joined().count
        if waitingCount > Self.mostWaiting { try addWaiting() }
    }

    private mutating func addWaiting() throws(DecodingFailure) {
        let items = waiting ?? []
        waiting = nil
        for item in items { try collect(item) }
    }

    /// Notes an item that is skipped because it is invalid.
    mutating func skipItem(because reason: String) {
        itemCount += 1
        let number = itemCount
        notes.add("left out item \(number): \(reason)")
    }

    mutating func note(_ note: String) { notes.add(note) }

    /// Ends the feed.
    ///
    /// It returns the images without those that recur as decoration, and the index of the first image of each item.
    mutating func finish() throws(DecodingFailure) -> (images: [FeedImage], itemStarts: [Int]) {
        try addWaiting()
        guard !keepsDecoration, !areTags.isEmpty else { return (images, items.map(\.start)) }
        let furniture = Furniture(of: images, areTags: areTags, in: items, itemCount: itemCount)
        return furniture.removed { image, number, id in
            let name = Self.name(number, id)
            notes.add("left out an image of item \(name): \(Self.quoted(image.url.text)): it recurs in the feed")
        }
    }

    // MARK: Items

    private mutating func collect(_ given: FeedItem) throws(DecodingFailure) {
        try DecodingFailure.check()
        var item = given.shortened
        // Many items use their URL or their image's URL as id, and reports show the id.
        item.id = item.id?.withoutPasswords
        if let skipReason = item.skipReason {
            notes.add("left out the rest of a text of item \(Self.name(item)): \(skipReason)")
        }
        let noteCount = notes.count
        let hasCandidate = !item.images.isEmpty || item.substitutes.contains { !$0.isEmpty }
        let link = hasCandidate || followsLinks ? page(item.link?.reference, from: item.link?.base ?? base) : nil
        let bases = HTMLBases(of: link, channel: base, feed: feed)
        var merged = try resolve(item.images, of: item, bases)
        for substitutes in item.substitutes where merged.isEmpty { merged = try resolve(substitutes, of: item, bases) }
        var target = FeedImage.Target.image
        if followsLinks, merged.isEmpty, let link, link.isRemote {
            merged = [MergedImages.MergedImage(on: link.withoutCredentials)]
            target = .page(ofItemWithID: item.id != nil)
        }
        guard !merged.isEmpty else {
            if notes.count == noteCount { notes.add("item \(Self.name(item)) has no image") }
            return
        }
        items.append(Furniture.Item(start: images.count, number: item.number, hasID: item.id != nil))
        try append(merged, of: item, link, target)
    }

    private mutating func append(
        _ merged: [MergedImages.MergedImage], of item: FeedItem, _ page: ResourceURL?, _ target: FeedImage.Target
    ) throws(DecodingFailure) {
        let link = page.flatMap { $0.isRemote ? $0.withoutCredentials : nil }
        let text = item.text.flatMap { beginning($0, FeedPost.longestText) }
        let words = item.title ?? text.flatMap { FoldedText.fold(String($0.prefix(Self.longestWords))) }
        let details = item.details
        let post = FeedPost(
            title: item.title, link: link, published: item.published, author: details.author, rights: details.rights,
            tags: details.tags, text: text)
        lazy var shortPost = FeedPost(title: item.title, link: link, published: item.published)
        let detailTexts = [details.author, details.rights, text] + details.tags
        let detailsSize = detailTexts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        for (index, image) in merged.enumerated() {
            guard images.count < mostImages else { throw .tooMany(mostImages) }
            let url = image.urls[0]
            let id = item.id.map { FeedImage.id(index, of: $0) } ?? url.text
            let description = image.description?.shortened(to: LongestText.words) ?? words
            let location = image.location?.shortened(to: LongestText.words) ?? item.location
            budget.addImage()
            try budget.spend(id, description, location, item.title, link?.text)
            images.append(
                FeedImage(
                    id: id, description: description, location: location, url: url,
                    post: budget.takeDetails(detailsSize) ? post : shortPost,
                    alternatives: image.urls.dropFirst().map(\.withoutCredentials), target: target))
            if !keepsDecoration { areTags.append(image.isTag) }
        }
    }

    // MARK: Images

    private struct Usable {
        let image: NamedImage
        var urls: [ResourceURL] = []
    }

    private mutating func resolve(
        _ images: [NamedImage], of item: FeedItem, _ bases: HTMLBases
    ) throws(DecodingFailure) -> [MergedImages.MergedImage] {
        var usable: [Usable] = []
        for (index, image) in images.enumerated() {
            if index % 256 == 255 { try DecodingFailure.check() }
            if let found = try usableURLs(image, of: item, bases) { usable.append(found) }
        }
        if let filter { try apply(filter, to: &usable) }
        var merged = MergedImages(count: usable.count, sided: usable.count { $0.image.hasSides })
        for found in usable { merged.add(found.image, at: found.urls) }
        return merged.all
    }

    /// Returns the image with its valid URLs; nil for decoration and for an image without a valid URL.
    private mutating func usableURLs(
        _ image: NamedImage, of item: FeedItem, _ bases: HTMLBases
    ) throws(DecodingFailure) -> Usable? {
        var usable = Usable(image: image)
        var reason: String?
        var decoration = image.decoration
        for rendition in image.renditions where usable.urls.count <= NamedImage.mostURLs {
            let isOfPage = image.origin == .tag || image.origin == .textLink
            let other = isOfPage && rendition.isRelative ? bases.other.map { [$0] } ?? [] : []
            for base in [rendition.base ?? (isOfPage ? bases.first : self.base)] + other {
                StepCounter.add(rendition.reference.utf8.count + (base?.text.utf8.count ?? 0))
                let url: ResourceURL?
                do throws(InvalidURL) {
                    url = try links.target(of: rendition.reference, from: base)
                } catch {
                    reason = reason ?? error.reason
                    // The URL parser may have read the whole reference before it found the error.
                    try budget.spend(rendition.reference, base?.text)
                    continue
                }
                guard let url else {
                    try budget.spend(rendition.reference)
                    reason = reason ?? "a data: URL, which holds the image itself"
                    continue
                }
                try budget.spend(url.text, url.credentials)
                // Credentials are kept for the first URL only.
                guard usable.urls.isEmpty || url.credentials == nil else { continue }
                decoration = decoration ?? image.decoration(at: url)
                if usable.urls.last != url { usable.urls.append(url) }
            }
        }
        if let decoration, !keepsDecoration {
            note(image, of: item, decoration.what)
            return nil
        }
        guard usable.urls.isEmpty else { return usable }
        if let reason { note(image, of: item, reason) }
        return nil
    }

    /// Removes the URLs that the filter rejects, as if the feed had omitted them.
    private func apply(_ filter: ImageFilter, to usable: inout [Usable]) throws(DecodingFailure) {
        var accepted = try filter.accepts(usable.flatMap(\.urls))[...]
        for index in usable.indices {
            usable[index].urls.removeAll { _ in accepted.popFirst() == false }
        }
        usable.removeAll(where: \.urls.isEmpty)
    }

    // MARK: Notes

    private mutating func note(_ image: NamedImage, of item: FeedItem, _ reason: String) {
        notes.add(
            "left out an image of item \(Self.name(item)): \(Self.quoted(image.renditions.first?.reference ?? "")): \(reason)"
        )
    }

    private static func name(_ item: FeedItem) -> String { name(item.number, item.id) }

    private static func name(_ number: Int, _ id: String?) -> String {
        id.map { "\(number) (\(JSONWriter.quote($0, limit: 60)))" } ?? "\(number)"
    }

    /// Returns the quoted reference for a message.
    ///
    /// It replaces everything before the last @, because an invalid URL may contain a password.
    private static func quoted(_ reference: String) -> String {
        let at = reference.utf8.lastIndex(of: UInt8(ascii: "@"))
        return JSONWriter.quote(at.map { "***\(reference[$0...])" } ?? reference, limit: 80)
    }
}

/// The two pages against which the relative references in the HTML of an item may resolve: feeds are written by
/// programs that copy the HTML of the item's page, or of the channel's page.
struct HTMLBases {
    /// The more likely base; nil for the feed's own URL.
    let first: ResourceURL?
    /// The other base; nil if there is only one.
    let other: ResourceURL?

    /// The item's page is more likely if it is on the host of the channel's page or of the feed.
    init(of page: ResourceURL?, channel: ResourceURL?, feed: ResourceURL) {
        guard let page, page.isRemote, page != channel ?? feed else {
            (first, other) = (channel, nil)
            return
        }
        let isHome = page.host == channel?.host || page.host == feed.host
        first = isHome ? page : channel
        other = isHome ? channel ?? feed : page
    }
}
