/// The limits for an archive, and the way to merge it.
package struct ImportTerms: Hashable, Sendable {
    package struct SizeLimits: Hashable, Sendable {
        /// The most bytes of an image.
        package let image: Int64
        package let feed: FeedSizeLimit

        package init(image: Int64, feed: FeedSizeLimit) {
            self.image = image
            self.feed = feed
        }
    }

    private let limits: SizeLimits
    private let ownLimits: [ResourceURL.Key: SizeLimits]
    /// The limits for data that may belong to any feed.
    package let largest: SizeLimits
    /// An image no larger than this fits every feed.
    package let smallestImageLimit: Int64
    /// The archive's feeds replace saved feeds, also later ones.
    package let isForced: Bool
    /// The archive is the user's own.
    package let restores: Bool
    /// The moment of the import.
    ///
    /// A feed that was saved later was saved by a wrong clock.
    package let now: Timestamp

    /// `ownLimits` are the limits of feeds with a section in the config file.
    package init(
        maxImageSize: Int64, maxFeedSize: FeedSizeLimit, ownLimits: [ResourceURL.Key: SizeLimits] = [:],
        isForced: Bool = false, restores: Bool = false, now: Timestamp
    ) {
        limits = SizeLimits(image: maxImageSize, feed: maxFeedSize)
        self.ownLimits = ownLimits
        largest = ownLimits.values.reduce(limits) { largest, own in
            SizeLimits(
                image: max(largest.image, own.image),
                feed: largest.feed.bytes < own.feed.bytes ? own.feed : largest.feed)
        }
        smallestImageLimit = ownLimits.values.reduce(maxImageSize) { min($0, $1.image) }
        self.isForced = isForced
        self.restores = restores
        self.now = now
    }

    package func limits(of feed: ResourceURL) -> SizeLimits { ownLimits[feed.key] ?? limits }
}
