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
