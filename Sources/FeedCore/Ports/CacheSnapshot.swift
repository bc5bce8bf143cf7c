/// The way in and out of a cache for all that it holds, as one piece.
package protocol CacheTransfer: Sendable {
    /// Runs `work` on one state of the cache: what others write meanwhile is not seen, and no image is deleted before it
    /// returns. Whoever is just deleting some is waited for, at most for `lockWait`. The work may block: it has a thread
    /// of its own.
    func read<Outcome: Sendable>(
        lockWait: Duration, _ work: @escaping @Sendable (any CacheSnapshot) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome

    /// Runs `work`, which brings bytes in and then merges. Whatever of them no merge has made part of the cache is gone
    /// when this returns or throws. The work may block here too.
    func takeIn<Outcome: Sendable>(
        _ work: @escaping @Sendable (any CacheIntake) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome
}

/// One state of a cache, for as long as it is read from.
package protocol CacheSnapshot {
    /// Every saved feed, by URL, without its images.
    func feeds() throws(FeedError) -> [FeedSummary]

    /// Visits the images of a feed that are at these positions, in order. The positions of a feed's images ascend.
    func forEachImage(
        of feed: ResourceURL, at positions: ClosedRange<Int64>,
        _ visit: (SnapshotImage) throws(FeedError) -> Void
    ) throws(FeedError)

    /// For as long as the state is read from.
    var bytes: any ImageBytes { get }
}

/// An image of a saved feed as it is read, to be looked at and let go of.
package struct SnapshotImage: Sendable {
    package let position: Int64
    package let image: FeedImage
    /// What is known of its data.
    package let stored: StoredImage?

    package init(position: Int64, image: FeedImage, stored: StoredImage?) {
        self.position = position
        self.image = image
        self.stored = stored
    }
}

/// The bytes of images, for any thread. Calls may block.
package protocol ImageBytes: Sendable {
    /// Fills the buffer with an image's bytes from `offset` on. False where there aren't `size` of them: the image is
    /// damaged or gone. Throws where they can't be read.
    func read(
        _ digest: Digest, size: Int64, from offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FeedError) -> Bool
}
