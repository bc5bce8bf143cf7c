/// Exports and imports the contents of a cache.
package protocol CacheTransfer: Sendable {
    /// Runs `work` on a snapshot of the cache, whose images all stay until `work` returns. Waits up to `lockWait` for a
    /// run that is deleting images. The work may block, because it has a thread of its own.
    func read<Outcome: Sendable>(
        lockWait: Duration, _ work: @escaping @Sendable (any CacheSnapshot) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome

    /// Runs `work`, which adds bytes and then merges them. Bytes that are still unmerged at its end are deleted. The
    /// work may block, because it has a thread of its own.
    func takeIn<Outcome: Sendable>(
        _ work: @escaping @Sendable (any CacheIntake) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome
}

/// A consistent state of a cache.
package protocol CacheSnapshot {
    /// Returns every saved feed without its images, sorted by URL.
    func feeds() throws(FeedError) -> [FeedHead]

    /// Returns the images that the user removed from a feed.
    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages

    /// Visits the images of a feed that are at these positions, in ascending order.
    func forEachImage(
        of feed: ResourceURL, at positions: ClosedRange<Int64>,
        _ visit: (SnapshotImage) throws(FeedError) -> Void
    ) throws(FeedError)

    /// The bytes of the images, which are valid as long as the snapshot.
    var bytes: any ImageBytes { get }
}

/// An image of a saved feed in a snapshot.
package struct SnapshotImage: Sendable {
    package let position: Int64
    package let image: FeedImage
    /// The image's data, if the cache has it.
    package let stored: StoredImage?

    package init(position: Int64, image: FeedImage, stored: StoredImage?) {
        self.position = position
        self.image = image
        self.stored = stored
    }
}

/// Reads the bytes of images, from any thread.
///
/// Calls may block.
package protocol ImageBytes: Sendable {
    /// Fills the buffer with an image's bytes from `offset` on. Returns false if the file is missing or differs from
    /// `size`, which means that the image is damaged. Throws if the file can't be read.
    func read(
        _ digest: Digest, size: Int64, from offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FeedError) -> Bool
}

/// Adds bytes to a cache, and merges them into its feeds.
package protocol CacheIntake {
    /// Receives the bytes.
    var blobs: any BlobIntake { get }

    /// Returns all bytes of an added blob, which should be small or a feed's document.
    func bytes(of digest: Digest) throws(FeedError) -> [UInt8]

    /// Runs changes in one transaction, which is rolled back if `work` throws or the changes can't be made durable.
    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome
}

/// Receives blobs.
///
/// Calls may block and may come from any thread, one at a time.
package protocol BlobIntake: Sendable {
    /// Adds a part of the bytes with this digest, which the caller verifies. The parts of a blob come in order, one
    /// blob after another, each blob once. A blob is made durable before it is merged.
    func add(
        _ bytes: UnsafeRawBufferPointer, to blob: Digest, from offset: Int64, isEnd: Bool
    ) throws(FeedError)
}

/// What a cache knows of a feed before a merge.
package struct KnownFeed: Hashable, Sendable {
    /// When the feed was saved; nil without a saved copy.
    package let savedAt: Timestamp?
    package let keep: Keep?

    package init(savedAt: Timestamp?, keep: Keep?) {
        self.savedAt = savedAt
        self.keep = keep
    }
}

/// The changes of one merge.
package protocol CacheMerge {
    /// Returns nil for an unknown feed.
    func find(_ feed: ResourceURL) throws(FeedError) -> KnownFeed?

    /// Returns the saved feed with its kept items.
    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed?

    /// Returns the images that were removed from a feed.
    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages
    /// Replaces the removed images of a feed, and deletes the current and kept images that they cover.
    func setRemoved(_ removed: RemovedImages, from feed: ResourceURL) throws(FeedError)

    /// Adds a feed, or replaces a saved one, without current items. The kept items of a saved feed stay, and so does how
    /// it is named.
    func begin(_ feed: FeedHead) throws(FeedError)
    /// Adds an image to the end of the feed that was begun last.
    func append(_ image: FeedImage) throws(FeedError)
    /// Replaces the items that have left a saved feed. An import without `--restore` has them never requested.
    func setKept(_ images: [FeedImage], neverRequested: Bool, of feed: ResourceURL) throws(FeedError)
    /// Takes over how the user's own archive names a feed, and its settings, gaps and open walk: those of the later copy,
    /// else what the cache lacks.
    func describe(_ feed: FeedHead, isLater: Bool) throws(FeedError)

    /// Returns the data of a URL.
    func data(at url: ResourceURL, of feed: ResourceURL) throws(FeedError) -> StoredImage?
    /// Returns the data of an image, or the data that it had before its URLs got other data. `replaced` has nil for a URL
    /// that had none.
    func data(
        of image: FeedImage, in feed: ResourceURL, before replaced: [ResourceURL.Key: StoredImage?]
    ) throws(FeedError) -> StoredImage?
    /// Returns the size and type of intact data in the cache, whichever feed has it.
    func data(of digest: Digest) throws(FeedError) -> (size: Int64, type: ImageType)?
    func isIntact(_ stored: StoredImage) throws(FeedError) -> Bool
    /// Makes an added blob, or data of the cache, the data of its URL. With `isImported`, only a plain import vouches for
    /// it.
    func insert(_ data: OfferedImage, of feed: ResourceURL, isImported: Bool) throws(FeedError)
    /// Gives an image data in place of that of its URLs.
    func setOwn(_ data: OwnImageData, of image: FeedImage, in feed: ResourceURL) throws(FeedError)
}

/// The data that an image has in place of that of its URLs.
package enum OwnImageData: Hashable, Sendable {
    case none
    case obtained(OfferedImage)
    /// The image lacks data, although its URLs have some.
    case lost
    /// The next request for the URL tells whether its data has changed.
    case awaited(ResourceURL)
}

/// What identifies an image of a feed.
package struct ImageKey: Hashable, Sendable {
    private let id: ExactText
    private let url: ResourceURL.Key

    package init(_ image: FeedImage) { (id, url) = (ExactText(image.id), image.url.key) }
}

/// An image URL whose data a thin archive leaves out.
package struct LeftOutImage: Hashable, Sendable {
    package let url: ResourceURL
    package let digest: Digest
    package let validators: Validators
    package let fetchedAt: Timestamp

    package init(url: ResourceURL, digest: Digest, validators: Validators, fetchedAt: Timestamp) {
        self.url = url
        self.digest = digest
        self.validators = validators
        self.fetchedAt = fetchedAt
    }

    /// Returns the image with its data.
    package func found(size: Int64, type: ImageType, published: Timestamp? = nil) -> OfferedImage {
        OfferedImage(
            url: url, digest: digest, size: size, type: type, validators: validators, fetchedAt: fetchedAt,
            published: published)
    }
}

/// The data of an image URL in an import.
package struct OfferedImage: Hashable, Sendable {
    package let url: ResourceURL
    package let digest: Digest
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp
    /// The date of the image; the file in the cache gets this date if it is new.
    package let published: Timestamp?

    package init(
        url: ResourceURL, digest: Digest, size: Int64, type: ImageType, validators: Validators, fetchedAt: Timestamp,
        published: Timestamp? = nil
    ) {
        self.url = url
        self.digest = digest
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.published = published
    }

    package init(_ stored: StoredImage, at url: ResourceURL) {
        self.init(
            url: url, digest: stored.digest, size: stored.size, type: stored.type, validators: stored.validators,
            fetchedAt: stored.fetchedAt)
    }

    /// Returns the data with what another copy knows of the same bytes: when they were obtained first, and validators.
    func merging(_ other: OfferedImage) -> OfferedImage {
        OfferedImage(
            url: url, digest: digest, size: size, type: type,
            validators: validators.isEmpty ? other.validators : validators,
            fetchedAt: min(fetchedAt, other.fetchedAt), published: published)
    }

    func isSame(as stored: StoredImage) -> Bool {
        digest == stored.digest && validators == stored.validators && fetchedAt == stored.fetchedAt
    }
}

/// A source of bytes: a file or a pipe.
///
/// It is used by one thread at a time. Calls may block.
package protocol ByteSource: Sendable {
    /// The name in messages.
    var name: String { get }
    /// Reads the next bytes, at most `buffer.count`, and returns their number, which is 0 at the end. Throws
    /// `cancelled` if its task is cancelled while it waits.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
    /// Skips up to `count` bytes without reading them, and returns how many it skipped, which is 0 for a pipe.
    func skip(_ count: Int64) -> Int64
}

extension ByteSource {
    package func skip(_ count: Int64) -> Int64 { 0 }
}

/// A target of bytes: a file that appears complete or not at all, or a stream.
///
/// It is used by one thread at a time. Calls may block.
package protocol ByteTarget: Sendable {
    /// Writes the pieces in order.
    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError)
    /// Completes the target. A file that is released without a commit is deleted.
    func commit() throws(FeedError)
}
