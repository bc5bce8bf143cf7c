/// Bytes on their way into the store. Calls come one after another.
package protocol StagedImage: AnyObject, Sendable {
    func append(_ chunk: [UInt8]) throws(FeedError)
    /// Throws the bytes away; also what happens to a staged image that is just let go of.
    func discard()
}

/// An image whose bytes are complete and recognised, ready to be published.
package struct ReceivedImage: Sendable {
    /// The URL that the bytes belong to.
    package let url: ResourceURL
    /// The images that get the bytes. No recipient means that no feed may see them.
    package var recipients: [Recipient]
    package let bytes: any StagedImage
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp

    package init(
        url: ResourceURL, recipients: [Recipient] = [], bytes: any StagedImage, size: Int64, type: ImageType,
        validators: Validators, fetchedAt: Timestamp
    ) {
        self.url = url
        self.recipients = recipients
        self.bytes = bytes
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}
