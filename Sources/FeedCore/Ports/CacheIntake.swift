/// Bytes on their way into a cache, many at a time, and what makes them part of it.
package protocol CacheIntake {
    /// Where they are brought in.
    var blobs: any BlobIntake { get }

    /// All bytes of a blob that was brought in, which should be small or a feed's document.
    func bytes(of digest: Digest) throws(FeedError) -> [UInt8]

    /// Runs changes of which all stand afterwards or, if `work` throws or they can't be made durable, none.
    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome
}

/// Takes in blobs, on any thread but one at a time. Calls may block.
package protocol BlobIntake: Sendable {
    /// Takes in a part of the bytes that are said to have this digest; whoever brings them checks that. The parts of a
    /// blob come in order, from the first on, one blob after another and none twice. Before it is merged, a blob is made
    /// durable.
    func add(
        _ bytes: UnsafeRawBufferPointer, to blob: Digest, from offset: Int64, isEnd: Bool
    ) throws(FeedError)
}

/// What can be done to a cache within one merge.
package protocol CacheMerge {
    /// Returns when the feed was saved, what the user wants to keep of it, and how many items are kept; nil if it was never
    /// saved.
    func saved(_ feed: ResourceURL) throws(FeedError) -> (at: Timestamp, keep: Keep?, keptCount: Int)?

    /// With all that is kept of it.
    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed?

    /// Replaces a saved feed by one without current items. Its credentials, its `keep` and its kept items stay. A feed that
    /// was not saved before is not named by the user.
    func begin(_ feed: FeedHead) throws(FeedError)
    /// Adds an image to the end of the feed that was begun last.
    func append(_ image: FeedImage) throws(FeedError)
    /// Replaces the items that have left a saved feed. The images of these `archived` ids are never requested.
    func setKept(_ images: [FeedImage], archived: Set<ExactText>, of feed: ResourceURL) throws(FeedError)
    /// Marks a saved feed as named by the user, and sets what the user wants to keep of it.
    func name(_ feed: ResourceURL, keep: Keep?) throws(FeedError)

    /// Makes a blob that was brought in the data of an image URL, for one feed alone. Returns false, and changes nothing,
    /// where the feed sees intact data of the URL already.
    func offer(_ image: OfferedImage, for feed: ResourceURL) throws(FeedError) -> Bool
}

/// A feed without its images.
package struct FeedHead: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let format: Feed.Format
    package let savedAt: Timestamp
    package var keep: Keep?

    package init(url: ResourceURL, title: String?, format: Feed.Format, savedAt: Timestamp, keep: Keep? = nil) {
        self.url = url
        self.title = title
        self.format = format
        self.savedAt = savedAt
        self.keep = keep
    }
}

package struct OfferedImage: Hashable, Sendable {
    package let url: ResourceURL
    package let digest: Digest
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp

    package init(
        url: ResourceURL, digest: Digest, size: Int64, type: ImageType, validators: Validators, fetchedAt: Timestamp
    ) {
        self.url = url
        self.digest = digest
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}
