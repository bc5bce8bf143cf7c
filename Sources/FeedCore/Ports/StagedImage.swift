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
