/// Where image data is kept: indexed by URL, named by digest, so that equal bytes are there once.
package protocol ImageStore: Sendable {
    /// What is known of each URL, in the same order; nil where there is no data, or its file is gone.
    func find(_ urls: [ResourceURL]) async throws(FeedError) -> [StoredImage?]

    /// The bytes, checked against their digest: damaged data is never delivered, but a `storage` error.
    func data(of image: StoredImage) async throws(FeedError) -> [UInt8]

    /// A place for bytes that are still coming. Nothing of it is visible until it is published.
    func stage() throws(FeedError) -> any StagedImage

    /// All bytes of a staged image are there: what can be done with them before they are published is done, now or when
    /// there are more of such.
    func complete(_ image: any StagedImage)

    /// How many can be staged at once: each may hold a file open until it is published.
    var mostStaged: Int { get }

    /// Makes the images' bytes durable, then visible, then indexes them by URL (the last of a URL wins).
    /// Answers for each image in order what went wrong with it alone; throws when the store itself fails.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [FeedError?]

    /// What was met with one image and concerns them all, such as a full disk: nothing more is worth a try.
    var exhaustion: FeedError? { get }

    /// Their data was shown to be the latest: their validators are renewed where they changed, and their failures are
    /// forgotten. One that isn't there is no error.
    func confirm(_ images: [ConfirmedImage]) async throws(FeedError)

    /// The last failure of each URL, in the same order; nil where none is remembered.
    func failures(of urls: [ResourceURL]) async throws(FeedError) -> [RememberedFailure?]

    /// Remembers each as its URL's last, and as one more in a row: until data of that URL is published or
    /// confirmed.
    func remember(_ failures: [ImageFailure]) async throws(FeedError)

    /// The images' files, none of which is deleted as long as what is returned lives. Waits at most this long for
    /// somebody who is deleting.
    func files(lockWait: Duration) async throws(FeedError) -> any ImageFiles

    /// What is really there of it all, and of these saved feeds' images.
    func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory

    /// Keeps out whoever reads many images and relies on their staying, for as long as the store is open; a removal does
    /// so only for itself, and if there is anything to delete. False: somebody is at it, and wasn't waited for.
    func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool

    /// Deletes the data and the failures of every URL that no saved feed names, then whatever no row names.
    func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval

    /// Reads every image that a saved feed names again, and deletes those whose bytes don't match their digest.
    func removeDamaged(_ mode: RemovalMode, progress: ProgressStream?) async throws(FeedError) -> ImageRemoval
}

extension ImageStore {
    package func totals() async throws(FeedError) -> ImageTotals { try await inventory(of: []).totals }
}

/// Whether something is deleted, or only counted as if these feeds, and what is damaged, were deleted before.
package enum RemovalMode: Hashable, Sendable {
    case forReal
    case dryRun(withoutFeeds: [ResourceURL], withoutDamaged: Bool = false)
}

/// Bytes on their way into the store. Calls come one after another.
package protocol StagedImage: AnyObject, Sendable {
    func append(_ chunk: [UInt8]) throws(FeedError)
    /// Throws the bytes away; also what happens to a staged image that is just let go of.
    func discard()
}

/// An image whose bytes are all there and were recognised, ready to be published.
package struct ReceivedImage: Sendable {
    package let url: ResourceURL
    package let bytes: any StagedImage
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp

    package init(
        url: ResourceURL, bytes: any StagedImage, size: Int64, type: ImageType, validators: Validators,
        fetchedAt: Timestamp
    ) {
        self.url = url
        self.bytes = bytes
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}

package struct StoredImage: Hashable, Sendable {
    package let digest: Digest
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp
    /// Where the file lies, relative to the cache.
    package let folder: String

    package init(
        digest: Digest, size: Int64, type: ImageType, validators: Validators, fetchedAt: Timestamp, folder: String
    ) {
        self.digest = digest
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.folder = folder
    }

    /// Of the file, relative to the cache. Few ask for it.
    package var path: String { "\(folder)/\(digest.hex)" }
}

/// An image that is there, and of which the server says that it hasn't changed.
package struct ConfirmedImage: Hashable, Sendable {
    package let url: ResourceURL
    package let validators: Validators
    package let confirmedAt: Timestamp

    package init(url: ResourceURL, validators: Validators, confirmedAt: Timestamp) {
        self.url = url
        self.validators = validators
        self.confirmedAt = confirmedAt
    }
}

/// An image that could not be had, for a reason that tends to stay.
package struct ImageFailure: Hashable, Sendable {
    package let url: ResourceURL
    package let error: FeedError
    package let failedAt: Timestamp

    package init(url: ResourceURL, error: FeedError, failedAt: Timestamp) {
        self.url = url
        self.error = error
        self.failedAt = failedAt
    }
}

package struct RememberedFailure: Hashable, Sendable {
    package let error: FeedError
    package let failedAt: Timestamp
    /// How many there were in a row.
    package let count: Int

    package init(error: FeedError, failedAt: Timestamp, count: Int) {
        self.error = error
        self.failedAt = failedAt
        self.count = count
    }
}

/// A count of the images whose data is there.
package struct ImageInventory: Hashable, Sendable {
    package let totals: ImageTotals
    /// Of how many of each feed's images, in the order of the feeds.
    package let perFeed: [Int]

    package init(totals: ImageTotals, perFeed: [Int]) {
        self.totals = totals
        self.perFeed = perFeed
    }
}

/// Distinct images and their bytes.
package struct ImageTotals: Hashable, Sendable {
    package let count: Int
    package let bytes: Int64

    package init(count: Int, bytes: Int64) {
        self.count = count
        self.bytes = bytes
    }
}

package struct ImageRemoval: Hashable, Sendable {
    /// Distinct images whose data is gone, or was gone before.
    package let images: Int
    /// Of those, the ones that a feed names and whose data was gone before.
    package let gone: Int
    /// Of files of images and leftovers.
    package let bytesFreed: Int64
    /// What came in the way of deleting further files.
    package let failure: FeedError?

    package static let nothing = ImageRemoval(images: 0, bytesFreed: 0)

    package init(images: Int, gone: Int = 0, bytesFreed: Int64, failure: FeedError? = nil) {
        self.images = images
        self.gone = gone
        self.bytesFreed = bytesFreed
        self.failure = failure
    }
}
