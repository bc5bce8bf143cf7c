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
    /// The feeds that get the bytes.
    package var feeds: [ResourceURL]
    package let bytes: any StagedImage
    package let size: Int64
    package let type: ImageType
    package let validators: Validators
    package let fetchedAt: Timestamp
    /// The date of the first image that wanted the bytes; the file in the cache gets this date if it is new.
    package var published: Timestamp?

    package init(
        url: ResourceURL, feeds: [ResourceURL] = [], bytes: any StagedImage, size: Int64, type: ImageType,
        validators: Validators, fetchedAt: Timestamp
    ) {
        self.url = url
        self.feeds = feeds
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
    package var standing = Standing.obtained

    /// What vouches for data.
    package enum Standing: Hashable, Sendable {
        case obtained
        /// A later image has the URL, and its next request tells whether the data has changed.
        case awaited
        /// Only an archive that was imported vouches for the data.
        case imported
    }

    package init(
        digest: Digest, size: Int64, type: ImageType, validators: Validators, fetchedAt: Timestamp, directory: String,
        from: ResourceURL? = nil
    ) {
        self.digest = digest
        self.size = size
        self.type = type
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.directory = directory
        self.from = from
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
    /// The feeds for which the server was asked.
    package var feeds: [ResourceURL]

    package init(
        url: ResourceURL, dataOf predecessor: ResourceURL? = nil, validators: Validators, feeds: [ResourceURL] = []
    ) {
        self.url = url
        self.predecessor = predecessor
        self.validators = validators
        self.feeds = feeds
    }
}
