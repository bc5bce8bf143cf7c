/// The pages of one feed as they come: the next one, and all of them as one feed.
struct PagedFeed {
    private let first: DecodedFeed
    private(set) var count = 1
    private(set) var notes: [String]
    private var images: [FeedImage]
    private var next: ResourceURL?
    private var seen: Set<ResourceURL.Key>
    private let origins: Set<String>
    private let mostImages: Int
    /// The ids of the items of all pages; nil while there is one page.
    private var items: Set<ExactText>?

    /// `redirected` is the URL of the first page if a redirect led there.
    init(_ page: DecodedFeed, at url: ResourceURL, _ redirected: ResourceURL?, mostImages: Int) {
        first = page
        self.mostImages = mostImages
        images = page.feed.images
        notes = page.notes
        next = page.nextPage
        let places = [url, redirected].compactMap { $0 }
        seen = Set(places.map(\.keyWithoutFragment))
        origins = Set(places.map(\.origin))
    }

    /// The pause between two requests that the feed asks for.
    var interval: Duration? { first.interval }

    var feed: Feed { Feed(format: first.feed.format, title: first.feed.title, images: images) }

    /// Returns the next page; nil at the end of the walk, which is a page that was seen before or that is on another
    /// origin.
    mutating func takeNext() -> ResourceURL? {
        guard let url = next, isFurther(url) else { return nil }
        next = nil
        return url
    }

    /// Whether the walk may go on at this URL, from a link or a redirect.
    ///
    /// The URL counts as seen from then on.
    mutating func isFurther(_ url: ResourceURL) -> Bool {
        guard origins.contains(url.origin) else {
            notes.append("left out the next page, as it is at another origin than the feed: \(url)")
            return false
        }
        return seen.insert(url.keyWithoutFragment).inserted
    }

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
        notes += page.notes
        next = page.nextPage
    }
}

extension DecodedFeed {
    /// The ranges of the images of each item.
    fileprivate var items: [Range<Int>] {
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

/// Reads the `Link` header of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the first link whose relation is `next`, as the header has it.
    static func next(in header: String) -> String? {
        var rest = header[...]
        while let link = takeLink(from: &rest) {
            if link.isNext { return String(link.target) }
        }
        return nil
    }

    private struct Link {
        let target: Substring
        var parameters: [(name: String, value: String)] = []

        /// Whether the link leads to the next page.
        ///
        /// The first `rel` counts (section 3.3), and a link with an anchor belongs to another page (section 3.2).
        var isNext: Bool {
            guard self["anchor"] == nil, let relation = self["rel"] else { return false }
            return relation.lowercased().split(whereSeparator: isBlank).contains("next")
        }

        private subscript(name: String) -> String? { parameters.first { $0.name.lowercased() == name }?.value }
    }

    /// Takes one link of `<target>; name=value; name="value", <target>…`; nil at the end of the header.
    private static func takeLink(from rest: inout Substring) -> Link? {
        guard let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") else { return nil }
        var link = Link(target: rest[rest.index(after: open)..<close])
        rest = rest[rest.index(after: close)...]
        while true {
            rest = rest.drop(while: isBlank)
            guard rest.first == ";" else { break }
            rest = rest.dropFirst()
            let name = take(from: &rest) { $0 != "=" && $0 != ";" && $0 != "," }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            link.parameters.append((name, takeValue(from: &rest)))
        }
        return link
    }

    private static func takeValue(from rest: inout Substring) -> String {
        rest = rest.drop(while: isBlank)
        guard rest.first == "\"" else { return take(from: &rest) { $0 != ";" && $0 != "," } }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return value
    }

    private static func take(from rest: inout Substring, while isPart: (Character) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        let trimmed = part.drop(while: isBlank)
        return String(trimmed.lastIndex { !isBlank($0) }.map { trimmed[...$0] } ?? "")
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
