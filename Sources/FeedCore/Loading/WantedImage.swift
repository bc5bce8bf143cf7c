/// The result of an image URL in a run, the worst last: a URL that is requested in several ways counts once, with its worst
/// result.
package enum ImageResultKind: Int, Sendable {
    case skipped, cached, downloaded, failed
}

/// An image that a run requests, at one of its URLs at a time.
package struct WantedImage: Sendable {
    /// The `url` of the image.
    package let image: ResourceURL
    /// The date of the image.
    let published: Timestamp?
    package let terms: RequestTerms
    /// The URL that is requested now.
    private(set) var url: ResourceURL
    /// The validators of the data that the cache has; they make the request conditional.
    private(set) var validators: Validators
    /// The URL that this data belongs to, if it is not `url`.
    private(set) var predecessor: ResourceURL?
    /// The further URLs, best first.
    private(set) var rest: ArraySlice<Source>
    /// The reason why the best URL failed.
    private(set) var firstFailure: FeedError?
    /// The result that was counted for this URL for another feed.
    var counted: ImageResultKind?
    /// Whether the cache has data of the image, so that a failure of its better URLs does no harm.
    package let hasOtherData: Bool

    /// A URL of the image and the condition for requesting it.
    struct Source: Sendable {
        let url: ResourceURL
        var validators = Validators()
        var predecessor: ResourceURL?
    }

    init(
        _ image: ResourceURL, first: Source, rest: ArraySlice<Source> = [], hasOtherData: Bool = false,
        published: Timestamp? = nil, on terms: RequestTerms
    ) {
        self.image = image
        self.published = published
        self.terms = terms
        url = first.url
        validators = first.validators
        predecessor = first.predecessor
        self.rest = rest
        self.hasOtherData = hasOtherData
    }

    package init(
        _ url: ResourceURL, validators: Validators = Validators(), on terms: RequestTerms
    ) {
        self.init(url, first: Source(url: url, validators: validators), on: terms)
    }

    /// Returns the image at its next URL; nil at the last one, and after a failure that may pass.
    func next(after error: FeedError) -> WantedImage? {
        guard PermanentFailures.isPermanent(error), let source = rest.first else { return nil }
        var next = self
        next.url = source.url
        next.validators = source.validators
        next.predecessor = source.predecessor
        next.rest = rest.dropFirst()
        next.firstFailure = firstFailure ?? error
        return next
    }

    /// Returns the image without the condition for its request.
    func unconditional() -> WantedImage {
        var image = self
        image.validators = Validators()
        image.predecessor = nil
        return image
    }

    /// Whether a 304 to the request for the other image says that this image's data is the latest, too.
    func isConfirmed(with other: WantedImage) -> Bool {
        validators == other.validators && predecessor?.key == other.predecessor?.key
    }
}
