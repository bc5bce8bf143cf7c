/// Where image data is kept: indexed by URL, named by digest, so that equal bytes are there once.
package protocol ImageStore: Sendable {
    /// Returns the data of each image, in the same order: the data of the first of its URLs that has data which the
    /// viewer may see; nil where there is none, or where its file is gone.
    func find(_ images: [FeedImage], for viewer: Viewer) async throws(FeedError) -> [StoredImage?]

    /// Returns the data of a URL in any circle: of several, the data that was obtained last. Where the URL has none, returns
    /// the data of an image whose `url` it is.
    func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage?

    /// The bytes, checked against their digest: damaged data is never delivered, but a `storage` error.
    func data(of image: StoredImage) async throws(FeedError) -> [UInt8]

    /// A place for bytes that are still coming. Nothing of it is visible until it is published.
    func stage() throws(FeedError) -> any StagedImage

    /// All bytes of a staged image are there: what can be done with them before they are published is done, now or when
    /// there are more of such.
    func complete(_ image: any StagedImage)

    /// How many can be staged at once: each may hold a file open until it is published.
    var mostStaged: Int { get }

    /// Makes the images' bytes durable, then visible, then indexes them by URL and circle (the last insert wins).
    /// Returns for each image, in order, what is stored or why it alone could not be stored; throws when the store itself
    /// fails.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [Result<StoredImage, FeedError>]

    /// What was met with one image and concerns them all, such as a full disk: nothing more is worth a try.
    var exhaustion: FeedError? { get }

    /// Renews the validators of data that was confirmed, and forgets the failures of its URLs. Data that is gone is no
    /// error.
    func confirm(_ images: [ConfirmedImage]) async throws(FeedError)

    /// Returns the last failure of each URL that the viewer may see, in the same order; nil where none is remembered. A
    /// viewer that requests the URLs with secrets asks for `onlyOwn` failures: what was answered to others says nothing to
    /// it.
    func failures(
        of urls: [ResourceURL], for viewer: Viewer, onlyOwn: Bool
    ) async throws(FeedError) -> [RememberedFailure?]

    /// Remembers each failure as the last of its URL and circle, and as one more in a row, until data is published or
    /// confirmed there.
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
