internal import FeedCore

/// An item as its feed describes it; `ImageCollector` makes images of it.
struct FeedItem {
    /// The largest number of renditions that one item may name: many of them may be the same image.
    static func mostRenditions(in document: FeedSource) -> Int { max(document.mostImages, 50_000) }

    /// The position of the item in its feed, from 1.
    var number = 0
    var id: String?
    var title: String?
    /// The URL of the item's page: a reference and the `xml:base` that applies to it.
    var link: (reference: String, base: ResourceURL?)?
    var published: Timestamp?
    var location: String?
    var details = ItemDetails()
    var text: ItemText?
    /// The images, in order of preference.
    var images: [NamedImage] = []
    /// Lists of images that count only if the item has no other image.
    ///
    /// The first list with an image wins.
    var substitutes: [[NamedImage]] = []
    /// The videos, sounds and documents of the item.
    var others = OtherMedia()
    /// The reason why the rest of the item's HTML was skipped, or nil.
    var skipReason: String?

    /// A hash of what identifies the item among the items of all pages.
    var identity: Int {
        if let known = id ?? link?.reference { return ExactText(known).hashValue }
        return ExactText((title ?? "") + "\n" + (images.first?.renditions.first?.reference ?? "")).hashValue
    }

    /// The item with its texts cut to their limits: each of its images holds these texts.
    var shortened: FeedItem {
        var item = self
        item.id = id?.shortenedDistinctly(to: LongestText.id)
        item.title = title?.shortened(to: LongestText.words)
        item.location = location?.shortened(to: LongestText.words)
        return item
    }
}

/// An image that an item names, with its renditions.
struct NamedImage {
    /// The largest number of URLs that a feed keeps for one image.
    static let mostURLs = 1 + FeedImage.mostAlternatives

    struct Rendition {
        /// A URL, which may be relative or invalid.
        let reference: String
        /// The `xml:base` that applies to the reference.
        var base: ResourceURL?
        /// The width and the height that the feed states, or zero.
        var width = 0.0
        var height = 0.0

        /// Whether the reference resolves against the base of the feed.
        var isRelative: Bool { base == nil && !WebReference.isAbsolute(reference) }

        /// The longest reference that can be a valid URL, including white space.
        private static let longest = 16_384

        init(reference: String, base: ResourceURL? = nil, width: Double = 0, height: Double = 0) {
            self.reference = Self.shortened(reference)
            self.base = base
            self.width = width
            self.height = height
        }

        /// Returns the reference, or the beginning of a reference that is too long: a link may enclose many images, and
        /// a `data:` URL may hold megabytes.
        static func shortened(_ reference: String) -> String {
            reference.utf8.count <= longest ? reference : String(Substring(reference.utf8.prefix(longest)))
        }
    }

    /// The element that names an image.
    ///
    /// What the feed declares as an image is what it means; an `<img>` may decorate the text.
    enum Origin {
        case declared, textLink, tag, thumbnail
    }

    /// The renditions, best first.
    ///
    /// `ImageCollector` skips those with an invalid URL.
    var renditions: [Rendition]
    /// The image's own title, caption or alternative text, as plain text.
    var description: String?
    var location: String?
    /// The rule that matches the image if it is decoration.
    var decoration: Decoration?
    var origin = Origin.declared
    /// The page to which an `<img>` links, or nil.
    var page: String?

    /// Returns the rule that matches the image at this URL.
    func decoration(at url: ResourceURL) -> Decoration? {
        guard origin != .textLink, let row = DecorationRules.decoration(of: url) else { return nil }
        return origin == .declared && !row.matchesDeclared ? nil : row
    }

    /// Whether the feed states the width of the image.
    var hasSides: Bool { renditions.first.map { $0.width > 0 } == true }

    init(_ renditions: [Rendition], description: String? = nil, decoration: Decoration? = nil) {
        self.renditions = renditions
        self.description = description
        self.decoration = decoration
    }

    init?(_ reference: String?, base: ResourceURL? = nil, description: String? = nil) {
        guard let reference else { return nil }
        self.init([Rendition(reference: reference, base: base)], description: description)
    }
}

extension FeedItem {
    /// The item with one image for the subject to which a text link leads.
    ///
    /// The item's thumbnails, and an `<img>` that links to the item's page, show the same subject in a smaller size.
    var withOneSubject: FeedItem {
        guard let subject = images.firstIndex(where: { $0.origin == .textLink }) else { return self }
        var item = self
        func isPreview(_ image: NamedImage) -> Bool {
            image.origin == .tag && image.decoration == nil && image.page != nil && image.page == link?.reference
        }
        let thumbnails = substitutes.joined().filter { $0.origin == .thumbnail }
        for preview in images.filter(isPreview) + thumbnails {
            item.images[subject].renditions += preview.renditions
            item.images[subject].description = item.images[subject].description ?? preview.description
        }
        item.images.removeAll(where: isPreview)
        return item
    }

    /// Whether a reference of the item depends on the base of the feed.
    var hasRelativeReference: Bool {
        func isRelative(_ image: NamedImage) -> Bool { image.renditions.contains(where: \.isRelative) }
        let isLinkRelative = link.map { $0.base == nil && !WebReference.isAbsolute($0.reference) } == true
        return isLinkRelative || images.contains(where: isRelative) || substitutes.joined().contains(where: isRelative)
    }
}

/// The text of an item.
///
/// Its first words describe images that have no description of their own.
struct ItemText {
    /// The number of bytes to keep.
    ///
    /// One or two images may precede the first word, and many items wait for the end of their feed.
    static let longest = 16_384

    let text: String
    /// Whether the text is plain; otherwise it is HTML.
    let isPlain: Bool

    /// Keeps the beginning of `text`.
    init(text: String, isPlain: Bool = false) {
        self.text = text.utf8.count <= Self.longest ? text : String(Substring(text.utf8.prefix(Self.longest)))
        self.isPlain = isPlain
    }
}
