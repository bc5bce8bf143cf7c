/// One image of a feed.
///
/// Its data belongs to its URLs: two feed images can share data.
package struct FeedImage: Sendable {
    package let id: String
    /// The words about the image, or the words of its post.
    package let description: String?
    package let location: String?
    package let url: ResourceURL
    package let post: FeedPost?
    /// Further URLs of the same image, the best first.
    ///
    /// They contain no credentials.
    package let alternatives: [ResourceURL]
    package let target: Target
    /// Whether the image may be requested at public addresses only, even if its feed may reference others.
    ///
    /// The page or the feed that named the image decides it, and it holds for every later request.
    package let isPublicOnly: Bool

    package static let mostAlternatives = 8

    /// What the URL leads to.
    package enum Target: Hashable, Sendable {
        case image
        /// A web page with the images of the item, for `PageFollower`.
        case page(ofItemWithID: Bool)
    }

    package init(
        id: String, description: String? = nil, location: String? = nil, url: ResourceURL, post: FeedPost? = nil,
        alternatives: [ResourceURL] = [], target: Target = .image, isPublicOnly: Bool = false
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.url = url
        self.post = post
        self.alternatives = alternatives
        self.target = target
        self.isPublicOnly = isPublicOnly
    }

    /// Returns the id of an item's image, counted from 0.
    package static func id(_ index: Int, of item: String) -> String { index == 0 ? item : "\(item)#\(index + 1)" }
}

extension FeedImage {
    package var title: String? { post?.title }
    package var link: ResourceURL? { post?.link }
    package var published: Timestamp? { post?.published }
    package var author: String? { post?.author }
    package var rights: String? { post?.rights }
    package var tags: [String] { post?.tags ?? [] }
    package var text: String? { post?.text }
    /// The last time the image was in its feed; nil if it is in the feed now.
    package var lastSeen: Timestamp? { post?.lastSeen }

    /// The text that a person reads first.
    package var heading: String { description ?? title ?? id }

    /// The title of the post, unless it is the heading.
    package var subheading: String? { title == heading ? nil : title }

    /// The moment by which kept images are ordered.
    package var newness: Timestamp { published ?? lastSeen ?? Timestamp(microseconds: 0) }

    /// Returns the image as one that left its feed and was in it last at this moment.
    package func leaving(_ moment: Timestamp) -> FeedImage {
        with(
            FeedPost(
                title: title, link: link, published: published, author: author, rights: rights, tags: tags, text: text,
                lastSeen: moment, page: post?.page))
    }

    /// Returns the image with another right to private addresses.
    func reaching(onlyPublic: Bool) -> FeedImage { with(post, isPublicOnly: onlyPublic) }

    private func with(_ post: FeedPost?, isPublicOnly: Bool? = nil) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, url: url, post: post, alternatives: alternatives,
            target: target, isPublicOnly: isPublicOnly ?? self.isPublicOnly)
    }
}

/// Images are compared by the bytes of their texts: a feed that spells an é differently has changed.
///
/// The right to private addresses is not a part of what a feed says.
extension FeedImage: Hashable {
    package static func == (left: FeedImage, right: FeedImage) -> Bool {
        ExactText(left.id) == ExactText(right.id) && left.url == right.url
            && left.description.map(ExactText.init) == right.description.map(ExactText.init)
            && left.location.map(ExactText.init) == right.location.map(ExactText.init)
            && left.post == right.post && left.alternatives == right.alternatives && left.target == right.target
    }

    package func hash(into hasher: inout Hasher) {
        ExactText(id).hash(into: &hasher)
        url.hash(into: &hasher)
    }
}

/// The facts that all images of a post share.
///
/// They are one object, because a feed may have a million images.
package final class FeedPost: Sendable {
    package let title: String?
    /// The page of the post, without credentials.
    package let link: ResourceURL?
    package let published: Timestamp?
    package let author: String?
    /// The licence or the copyright, as text or as a URL.
    package let rights: String?
    /// The distinct tags in the order of the feed.
    package let tags: [String]
    /// The plain text of the post, which may be cut.
    package let text: String?
    /// The last time the post was in the feed; nil if it is in the feed now.
    package let lastSeen: Timestamp?
    /// The linked page that the image was found on; nil for an image of the feed itself.
    package let page: ResourceURL?

    package static let mostTags = 32
    /// The most characters of a text.
    package static let longestText = 1000

    /// Returns nil for a post without any fact.
    package init?(
        title: String? = nil, link: ResourceURL? = nil, published: Timestamp? = nil, author: String? = nil,
        rights: String? = nil, tags: [String] = [], text: String? = nil, lastSeen: Timestamp? = nil,
        page: ResourceURL? = nil
    ) {
        guard
            title != nil || link != nil || published != nil || author != nil || rights != nil || !tags.isEmpty
                || text != nil || lastSeen != nil || page != nil
        else { return nil }
        self.title = title
        self.link = link
        self.published = published
        self.author = author
        self.rights = rights
        self.tags = tags
        self.text = text
        self.lastSeen = lastSeen
        self.page = page
    }

    /// Returns the post of an image that was found on this page.
    static func onPage(_ page: ResourceURL, of post: FeedPost?) -> FeedPost? {
        FeedPost(
            title: post?.title, link: post?.link, published: post?.published, author: post?.author,
            rights: post?.rights, tags: post?.tags ?? [], text: post?.text, lastSeen: post?.lastSeen, page: page)
    }

    /// The texts, each of which is compared by its bytes.
    private var texts: [ExactText?] {
        [title, author, rights, text].map { $0.map(ExactText.init) } + tags.map(ExactText.init)
    }
}

extension FeedPost: Equatable {
    package static func == (left: FeedPost, right: FeedPost) -> Bool {
        left === right
            || left.link == right.link && left.published == right.published && left.lastSeen == right.lastSeen
                && left.page == right.page && left.texts == right.texts
    }
}
