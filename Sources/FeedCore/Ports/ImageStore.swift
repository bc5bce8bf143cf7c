/// Stores image data.
///
/// It is indexed by URL, and its files are named by digest, so that equal bytes are stored once.
package protocol ImageStore: Sendable {
    /// Returns the data of each image of a feed, in the same order: its own data, else the data of the first of its URLs
    /// for which the feed has data; nil where there is none, or where its file is gone.
    func find(_ images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?]

    /// Returns the same as `find`, and also data whose file is gone.
    func findRecords(of images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?]

    /// Returns the data of a URL in any feed: of several, the data that was obtained last. Where the URL has none,
    /// returns the data of an image whose `url` it is.
    func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage?

    /// Returns the bytes after a check against their digest. Throws `storage` for damaged data.
    func data(of image: StoredImage) async throws(FeedError) -> [UInt8]

    /// Returns a receiver for bytes that are still arriving. They are invisible until they are published.
    func stage() throws(FeedError) -> any StagedImage

    /// Marks a staged image as complete, so that the store can prepare it for publishing.
    func complete(_ image: any StagedImage)

    /// The number of images that can be staged at once. Each may hold a file open until it is published.
    var mostStaged: Int { get }

    /// Makes the images' bytes durable, then visible, then indexes them by feed and URL (the last insert wins). Other
    /// bytes under a URL become the data of its current images; a kept image keeps the earlier ones, and so does each
    /// earlier image if a new one awaited them. Returns the result of each image in order: what is stored, or an error
    /// that concerns only this image. Throws if the store itself fails.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [Result<StoredImage, FeedError>]

    /// An error that was met with one image and concerns all further ones, such as a full disk.
    var exhaustion: FeedError? { get }

    /// Renews the validators of data that was confirmed, and forgets the failures of its URLs. Missing data is
    /// ignored.
    func confirm(_ images: [ConfirmedImage]) async throws(FeedError)

    /// Returns the last failure of each URL for a feed, in the same order; nil where none is remembered.
    func failures(of urls: [ResourceURL], in feed: ResourceURL) async throws(FeedError) -> [RememberedFailure?]

    /// Remembers each failure as the last of its URL in its feeds, and as one more in a row, until data is published or
    /// confirmed there.
    func remember(_ failures: [ImageFailure]) async throws(FeedError)

    /// Returns the images' files, which are protected from deletion as long as the result exists. Waits up to
    /// `lockWait` for a run that is deleting images.
    func files(lockWait: Duration) async throws(FeedError) -> any ImageFiles

    /// Counts the data that is present, in all and of the images of these saved feeds.
    func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory

    /// Locks out runs that need many images to stay, such as an export, for as long as the store is open. A removal
    /// takes this lock for itself if it has anything to delete. Returns false if such a run is active and `waiting` is
    /// false.
    func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool

    /// Deletes the data and the failures of every URL that is missing from all saved feeds, then every file without a
    /// row.
    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval

    /// Rereads every image of the saved feeds, and sets those aside whose bytes differ from their digest. Their URLs
    /// lose their data, so that the next sync requests them again.
    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> DamageRemoval
}

extension ImageStore {
    package func totals() async throws(FeedError) -> ImageTotals { try await inventory(of: []).totals }
}

/// The files of image data, for reading a part of each, or for copying and linking them.
package protocol ImageFiles: Sendable {
    /// Opens the file of an image. Throws `notFound` if this file is missing, changed or unreadable, and `storage` with
    /// `unreadable` if the disk fails at it, as later reading may. Any other error would also concern the next file.
    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage
}

/// An open file of image data.
package protocol OpenImage {
    var size: Int { get }
    /// Reads `count` bytes, or fewer at the end of the file.
    func read(_ count: Int, at offset: Int) throws(FeedError) -> [UInt8]
    /// Makes the file available at a new path outside the store: as a link where that is possible, otherwise as a copy.
    /// The path must be free.
    func place(at path: String) throws(FeedError)

    /// Makes the file available in this way only. Returns false if that is impossible, and leaves the path free.
    func place(at path: String, as placement: ImagePlacement) throws(FeedError) -> Bool
}

/// How a file becomes available outside the store.
package enum ImagePlacement: CaseIterable, Sendable {
    /// A separate file that shares its blocks with the file in the store until one of them is changed.
    case clone
    case link, copy
}

/// A count of the images whose data is present.
package struct ImageInventory: Hashable, Sendable {
    package let totals: ImageTotals
    /// The counts of each feed, in the order of the feeds.
    package let perFeed: [OfFeed]

    package struct OfFeed: Hashable, Sendable {
        /// The number of the feed's images whose data is present.
        package var cached = 0
        /// The size of this data, each file once.
        package var bytes: Int64 = 0
        /// The number of distinct images that have no data and a permanent failure.
        package var failed = 0
        /// The time until which all of these are skipped.
        package var leftAloneUntil: Timestamp?

        package init(cached: Int = 0, bytes: Int64 = 0) {
            self.cached = cached
            self.bytes = bytes
        }

        /// Counts an image with a permanent failure.
        package mutating func add(failedAt: Timestamp, count: Int) {
            failed += 1
            let until = failedAt + PermanentFailures.pause(afterFailures: count)
            leftAloneUntil = min(leftAloneUntil ?? until, until)
        }
    }

    package init(totals: ImageTotals, perFeed: [OfFeed]) {
        self.totals = totals
        self.perFeed = perFeed
    }
}

/// The number of distinct images and the sum of their bytes.
package struct ImageTotals: Hashable, Sendable {
    package let count: Int
    package let bytes: Int64

    package init(count: Int, bytes: Int64) {
        self.count = count
        self.bytes = bytes
    }
}

/// Whether images are deleted, or only counted.
///
/// A dry run counts as if these feeds and images were deleted before.
package enum RemovalMode: Hashable, Sendable {
    case forReal
    case dryRun(
        withoutFeeds: [ResourceURL], withoutImages: [ResourceURL.Key: RemovedImages] = [:],
        withoutKept: [ExcludedItems] = [])

    /// The kept items of a feed that its `keep` no longer covers.
    package struct ExcludedItems: Hashable, Sendable {
        package let feed: ResourceURL
        package let keep: Keep
        package let now: Timestamp

        package init(of feed: ResourceURL, excludedBy keep: Keep, now: Timestamp) {
            self.feed = feed
            self.keep = keep
            self.now = now
        }
    }

    package var isDryRun: Bool { if case .dryRun = self { true } else { false } }

    /// The feeds that a dry run treats as deleted.
    package var feedsLeftOut: [ResourceURL] {
        switch self {
        case .forReal: []
        case .dryRun(let feeds, _, _): feeds
        }
    }

    /// The images that a dry run treats as deleted, by their feeds.
    package var imagesLeftOut: [ResourceURL.Key: RemovedImages] {
        switch self {
        case .forReal: [:]
        case .dryRun(_, let images, _): images
        }
    }

    /// The kept items that a dry run treats as deleted.
    package var keptLeftOut: [ExcludedItems] {
        switch self {
        case .forReal: []
        case .dryRun(_, _, let items): items
        }
    }
}

/// The result of deleting images.
package struct ImageRemoval: Hashable, Sendable {
    /// The number of distinct images whose data was deleted, or was missing before.
    package let images: Int
    /// The number of these images that a feed contains and whose data was missing before.
    package let gone: Int
    /// The size of the deleted images and leftovers.
    package let bytesFreed: Int64
    /// The error that ended the deletion early.
    package let failure: FeedError?

    package static let nothing = ImageRemoval(images: 0, bytesFreed: 0)

    package init(images: Int, gone: Int = 0, bytesFreed: Int64, failure: FeedError? = nil) {
        self.images = images
        self.gone = gone
        self.bytesFreed = bytesFreed
        self.failure = failure
    }
}

/// The result of setting damaged images aside.
package struct DamageRemoval: Hashable, Sendable {
    /// A URL whose data was damaged, in one of the feeds that reference it.
    package struct DamagedImage: Hashable, Sendable {
        package let url: ResourceURL
        package let feed: ResourceURL
        package let digest: Digest

        package init(url: ResourceURL, feed: ResourceURL, digest: Digest) {
            self.url = url
            self.feed = feed
            self.digest = digest
        }
    }

    /// The number of damaged files.
    package let files: Int
    /// The URLs that lost their data, by feed and in the order of each feed.
    package let images: [DamagedImage]
    /// The error that concerns the other files.
    package let failure: FeedError?

    package static let nothing = DamageRemoval(files: 0, images: [])

    package init(files: Int, images: [DamagedImage], failure: FeedError? = nil) {
        self.files = files
        self.images = images
        self.failure = failure
    }
}
