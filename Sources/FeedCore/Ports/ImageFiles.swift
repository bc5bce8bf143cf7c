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
}
