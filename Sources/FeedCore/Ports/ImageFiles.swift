/// The files of image data, for whoever wants to read a little of many of them, or to have them elsewhere.
package protocol ImageFiles: Sendable {
    /// Throws `notFound` if the file is gone, no longer what it was, or can't be read for a reason of its own, and that
    /// the storage is `unreadable` if the disk fails there, as reading may later; whatever else it throws would be met
    /// with the next as well.
    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage
}

/// One of them, open.
package protocol OpenImage {
    var size: Int { get }
    /// Fewer bytes than asked for only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(FeedError) -> [UInt8]
    /// Gives the file another name, outside the store: as a link where that is possible, else as a copy. There must be
    /// nothing of that name yet.
    func place(at path: String) throws(FeedError)

    /// The same in this way alone. False, and nothing is there, where it isn't possible.
    func place(at path: String, as placement: ImagePlacement) throws(FeedError) -> Bool
}

/// How a file comes to have another name outside the store.
package enum ImagePlacement: CaseIterable, Sendable {
    /// A file of its own, which shares the blocks of the one in the store until it is written to.
    case clone
    case link, copy
}
