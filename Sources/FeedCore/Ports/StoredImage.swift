/// Receives the bytes of an image before it is published.
///
/// Calls come one after another.
package protocol StagedImage: AnyObject, Sendable {
    func append(_ chunk: [UInt8]) throws(FeedError)
    /// Deletes the bytes. Releasing a staged image has the same effect.
    func discard()
}

/// An image whose bytes are complete and of a known type, ready to be published.
package struct ReceivedImage: Sendable {
    /// The URL that the bytes belong to.
    package let url: ResourceURL
    /// The images that get the bytes.
    ///
    /// Without a recipient, the bytes stay invisible to every feed.
    package var recipients: [Recipient]
    package let bytes: any StagedImage
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp
    /// The date of the first image that wanted the bytes; the file in the cache gets this date if it is new.
    package var published: Timestamp?

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

/// Image data in the cache.
package struct StoredImage: Hashable, Sendable {
    package let digest: Digest
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp
    /// The directory of the file, relative to the cache.
    package let directory: String
    /// The image URL that the data belongs to, if it is not the `url` of the image.
    package var from: ResourceURL?
    /// Whether the data belongs to the circle of one feed.
    package let isOfOneFeed: Bool

    package init(
        digest: Digest, size: Int64, type: ImageType, validators: Validators, fetchedAt: Timestamp, directory: String,
        from: ResourceURL? = nil, isOfOneFeed: Bool = false
    ) {
        self.digest = digest
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.directory = directory
        self.from = from
        self.isOfOneFeed = isOfOneFeed
    }

    /// The path of the file, relative to the cache.
    ///
    /// It is computed because few callers use it.
    package var path: String { "\(directory)/\(digest.hex)" }
}

/// Image data that a server has confirmed with a 304.
package struct ConfirmedImage: Hashable, Sendable {
    /// The URL that the server was asked for.
    package let url: ResourceURL
    /// The URL whose data becomes the data of `url` as well; nil where `url` has the data already.
    package let predecessor: ResourceURL?
    package let validators: Validators
    package var recipients: [Recipient]

    package init(
        url: ResourceURL, dataOf predecessor: ResourceURL? = nil, validators: Validators, recipients: [Recipient] = []
    ) {
        self.url = url
        self.predecessor = predecessor
        self.validators = validators
        self.recipients = recipients
    }
}
