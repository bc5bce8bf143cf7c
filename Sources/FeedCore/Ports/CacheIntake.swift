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
    /// When the feed of this URL was saved, and what was told to keep of it; nil if it wasn't saved.
    func saved(_ feed: ResourceURL) throws(FeedError) -> (at: Timestamp, keep: Keep?)?

    /// With all that is kept of it.
    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed?

    /// Puts a feed with no images in place of the one of its URL, whose credentials stay, and what was told to keep of it.
    /// One that was not there is none that a person named.
    func begin(_ feed: FeedHead) throws(FeedError)
    /// Adds an image to the end of the feed that was begun last.
    func append(_ image: FeedImage) throws(FeedError)
    /// Puts these in place of what is kept of a saved feed.
    func setKept(_ images: [FeedImage], of feed: ResourceURL, by keep: Keep) throws(FeedError)

    /// Whether any feed names this image, as the feeds are by now.
    func isNamed(_ image: ResourceURL) throws(FeedError) -> Bool

    /// Makes a blob that was brought in the data of an image. Answers false, and keeps what is there, where that is
    /// whole.
    func offer(_ image: OfferedImage) throws(FeedError) -> Bool
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
