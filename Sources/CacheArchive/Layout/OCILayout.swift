internal import FeedCore

/// The names and types of an OCI image layout, as far as an archive has them.
enum OCILayout {
    static let layoutFile = "oci-layout"
    static let indexFile = "index.json"
    static let blobDirectory = "blobs/sha256"

    static let version = "1.0.0"
    static let schemaVersion = 2
    static let indexType = "application/vnd.oci.image.index.v1+json"
    static let manifestType = "application/vnd.oci.image.manifest.v1+json"
    static let feedType = "application/vnd.feedsync.feed.v1+json"
    static let documentVersion = 1

    static let refName: StaticString = "org.opencontainers.image.ref.name"
    static let title: StaticString = "org.opencontainers.image.title"

    /// Some registries take no more layers than this.
    static let layersOfManifest = 500

    static func blobName(_ digest: Digest) -> String { "\(blobPrefix)\(digest.hex)" }

    /// Nil for the name of anything else. Some write a `./` before it.
    static func blob(named name: String) -> Digest? {
        let name = name.utf8
        return digest(name.starts(with: "./".utf8) ? name.dropFirst(2) : name[...], after: blobPrefix)
    }

    static func reference(_ digest: Digest) -> String { "\(referencePrefix)\(digest.hex)" }

    /// Nil for what is no SHA-256.
    static func digest(_ reference: String) -> Digest? { digest(reference.utf8[...], after: referencePrefix) }

    private static func digest(_ text: Substring.UTF8View, after prefix: String) -> Digest? {
        guard text.starts(with: prefix.utf8) else { return nil }
        return Digest(hex: String(Substring(text.dropFirst(prefix.utf8.count))))
    }

    private static let blobPrefix = "\(blobDirectory)/"
    private static let referencePrefix = "sha256:"
}

/// What one part of a layout says of another.
struct BlobDescriptor: Hashable {
    let mediaType: String
    let digest: Digest
    let size: Int64
}
