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
    /// Whose data is its own from now on; nil: it has its own.
    package let predecessor: ResourceURL?
    package let validators: Validators
    package let confirmedAt: Timestamp

    package init(
        url: ResourceURL, dataOf predecessor: ResourceURL? = nil, validators: Validators, confirmedAt: Timestamp
    ) {
        self.url = url
        self.predecessor = predecessor
        self.validators = validators
        self.confirmedAt = confirmedAt
    }
}
