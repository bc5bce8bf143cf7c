internal import FeedCore
internal import JSONText

/// The names and types of an OCI image layout that an archive uses.
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
    /// The annotation of the index of a thin archive, with the value "true".
    static let thin: StaticString = "org.feedsync.thin"
    /// The annotation of the index with the newest `saved_at` of its feeds.
    static let savedAt: StaticString = "org.feedsync.saved_at"

    /// The longest media type and the longest digest that an import reads, in bytes.
    private static let longestMediaType = 1024
    /// The largest `oci-layout`, `index.json` and manifest.
    ///
    /// An index of 64 MB has 200,000 feeds.
    static let largestList: Int64 = 64 << 20

    /// Describes a list that is too large.
    static let tooLarge = "larger than \(ByteCount.text(largestList))"

    /// The maximum number of layers in a manifest, which is a limit of some registries.
    static let layersOfManifest = 500

    static func blobName(_ digest: Digest) -> String { "\(blobPrefix)\(digest.hex)" }

    /// Returns the digest in the name of a blob, or nil for another name.
    ///
    /// Some programs put `./` before each name.
    static func blob(named name: String) -> Digest? {
        let name = name.utf8
        return digest(name.starts(with: "./".utf8) ? name.dropFirst(2) : name[...], after: blobPrefix)
    }

    static func reference(_ digest: Digest) -> String { "\(referencePrefix)\(digest.hex)" }

    /// Returns the digest in a reference, or nil if the reference is of another kind.
    static func digest(_ reference: String) -> Digest? { digest(reference.utf8[...], after: referencePrefix) }

    private static func digest(_ text: Substring.UTF8View, after prefix: String) -> Digest? {
        guard text.starts(with: prefix.utf8) else { return nil }
        return Digest(hex: String(Substring(text.dropFirst(prefix.utf8.count))))
    }

    private static let blobPrefix = "\(blobDirectory)/"
    private static let referencePrefix = "sha256:"
}

/// A reference from one part of a layout to another.
struct BlobDescriptor: Hashable {
    let mediaType: String
    let digest: Digest
    let size: Int64
}

/// The parts of an index that a reader of archives needs.
struct ArchiveIndex {
    let manifests: [BlobDescriptor]
    /// Whether the archive may lack the data of images that an earlier archive contains.
    fileprivate(set) var isThin = false
    /// When the newest feed was saved; nil in an archive of 0.1.0 or 0.2.0.
    fileprivate(set) var savedAt: Timestamp?
}

/// The parts of a manifest that an import needs.
struct Manifest {
    let config: BlobDescriptor
    let layers: [BlobDescriptor]
}

extension OCILayout {
    /// The maximum nesting, which exceeds that of every valid text.
    private static let maxDepth = 16

    static func readLayout(_ bytes: [UInt8]) throws(FeedError) {
        try read(bytes, of: layoutFile) { reader throws(JSONError) in
            let top = reader.position
            var isKnown: Bool?
            try JSONObject.read(&reader, ["imageLayoutVersion"]) { _, reader throws(JSONError) in
                try JSONObject.expect(version, &reader)
                isKnown = true
            }
            _ = try JSONObject.require(isKnown, "imageLayoutVersion", of: top, reader)
        }
    }

    static func readIndex(_ bytes: [UInt8]) throws(FeedError) -> ArchiveIndex {
        try read(bytes, of: indexFile) { reader throws(JSONError) in
            let top = reader.position
            var manifests: [BlobDescriptor]?
            var hasVersion: Bool?
            var annotations = (isThin: false, savedAt: Timestamp?.none)
            try JSONObject.read(
                &reader, ["schemaVersion", "mediaType", "manifests", "annotations"]
            ) { name, reader throws(JSONError) in
                switch name {
                case "schemaVersion":
                    try JSONObject.expect(schemaVersion, &reader)
                    hasVersion = true
                case "mediaType": try JSONObject.expect(indexType, &reader)
                case "annotations": annotations = try readAnnotations(&reader)
                default: manifests = try readDescriptors(&reader, type: manifestType)
                }
            }
            _ = try JSONObject.require(hasVersion, "schemaVersion", of: top, reader)
            return ArchiveIndex(
                manifests: try JSONObject.require(manifests, "manifests", of: top, reader),
                isThin: annotations.isThin, savedAt: annotations.savedAt)
        }
    }

    private static func readAnnotations(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (isThin: Bool, savedAt: Timestamp?) {
        var annotations = (isThin: false, savedAt: Timestamp?.none)
        guard try reader.peek() == .object else {
            try reader.skipValue()
            return annotations
        }
        try JSONObject.read(&reader, [thin, savedAt]) { name, reader throws(JSONError) in
            if name == "\(thin)" {
                annotations.isThin = try reader.readString(longest: longestMediaType) == "true"
            } else {
                annotations.savedAt = try FeedDocument.readTime(&reader)
            }
        }
        return annotations
    }

    /// The error for an archive without one of its lists.
    static func missing(_ name: String) -> FeedError {
        .invalidData("\(name) is missing: this is no OCI image layout, or it is cut off")
    }

    static func readManifest(_ bytes: [UInt8], of name: String) throws(FeedError) -> Manifest {
        try read(bytes, of: "\(name) (a manifest)") { reader throws(JSONError) in
            let top = reader.position
            var config: BlobDescriptor?
            var layers: [BlobDescriptor]?
            var hasVersion: Bool?
            try JSONObject.read(
                &reader, ["schemaVersion", "mediaType", "artifactType", "config", "layers"]
            ) { name, reader throws(JSONError) in
                switch name {
                case "schemaVersion":
                    try JSONObject.expect(schemaVersion, &reader)
                    hasVersion = true
                case "mediaType": try JSONObject.expect(manifestType, &reader)
                case "artifactType": try JSONObject.expect(feedType, &reader)
                case "config": config = try readDescriptor(&reader, type: feedType)
                default: layers = try readDescriptors(&reader, type: nil)
                }
            }
            _ = try JSONObject.require(hasVersion, "schemaVersion", of: top, reader)
            return Manifest(
                config: try JSONObject.require(config, "config", of: top, reader),
                layers: try JSONObject.require(layers, "layers", of: top, reader))
        }
    }

    /// Reads a JSON text to its end.
    static func read<Value>(
        _ bytes: [UInt8], of name: String, _ work: (inout JSONReader) throws(JSONError) -> Value
    ) throws(FeedError) -> Value {
        do throws(JSONError) {
            var reader = reader(bytes)
            let value = try work(&reader)
            try reader.finish()
            return value
        } catch {
            throw .invalidData("\(name): \(error)")
        }
    }

    static func reader(_ bytes: [UInt8]) -> JSONReader { JSONReader(bytes, maxDepth: maxDepth) }

    private static func readDescriptors(
        _ reader: inout JSONReader, type: String?
    ) throws(JSONError) -> [BlobDescriptor] {
        var descriptors: [BlobDescriptor] = []
        try reader.enterArray()
        while try reader.nextElement() { descriptors.append(try readDescriptor(&reader, type: type)) }
        return descriptors
    }

    private static func readDescriptor(
        _ reader: inout JSONReader, type: String?
    ) throws(JSONError) -> BlobDescriptor {
        let top = reader.position
        var mediaType: String?
        var digest: Digest?
        var size: Int64?
        // The artifact type of a manifest must be that of a feed; other descriptors may have any.
        let names: [StaticString] = ["mediaType", "digest", "size"] + (type == manifestType ? ["artifactType"] : [])
        try JSONObject.read(&reader, names) { name, reader throws(JSONError) in
            switch name {
            case "artifactType": try JSONObject.expect(feedType, &reader)
            case "mediaType":
                if let type {
                    try JSONObject.expect(type, &reader)
                    mediaType = type
                } else {
                    mediaType = try reader.readString(longest: longestMediaType)
                }
            case "digest": digest = try readDigest(&reader)
            default:
                let start = reader.position
                let number = try reader.readInt()
                guard number >= 0 else { throw reader.mismatch("a size below 0", at: start) }
                size = Int64(number)
            }
        }
        return BlobDescriptor(
            mediaType: try JSONObject.require(mediaType, "mediaType", of: top, reader),
            digest: try JSONObject.require(digest, "digest", of: top, reader),
            size: try JSONObject.require(size, "size", of: top, reader))
    }

    static func readDigest(_ reader: inout JSONReader) throws(JSONError) -> Digest {
        let start = reader.position
        guard let digest = digest(try reader.readString(longest: longestMediaType)) else {
            throw reader.mismatch("not a digest of the form sha256:<64 lower-case hex digits>", at: start)
        }
        return digest
    }
}

extension OCILayout {
    static var layoutText: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("imageLayoutVersion", version)
        json.endObject()
        return json.bytes
    }

    static func index(
        _ manifests: [(manifest: BlobDescriptor, name: String)], isThin: Bool, savedAt: Timestamp
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("schemaVersion", schemaVersion)
        json.member("mediaType", indexType)
        json.name("manifests")
        json.beginArray()
        for (manifest, name) in manifests {
            json.beginObject()
            json.members(of: manifest)
            json.member("artifactType", feedType)
            json.annotations([(refName, name)])
            json.endObject()
        }
        json.endArray()
        json.annotations([(OCILayout.savedAt, savedAt.rfc3339)] + (isThin ? [(thin, "true")] : []))
        json.endObject()
        return json.bytes
    }

    /// Writes a manifest.
    ///
    /// `layers` is a list that `LayerList` made.
    static func manifest(config: BlobDescriptor, layers: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("schemaVersion", schemaVersion)
        json.member("mediaType", manifestType)
        json.member("artifactType", feedType)
        json.name("config")
        json.beginObject()
        json.members(of: config)
        json.endObject()
        json.name("layers")
        json.write(written: layers)
        json.endObject()
        return json.bytes
    }
}

/// An image that is the first of its feed with its data.
struct Layer {
    let position: Int64
    /// The number of the image in its feed.
    let number: Int
    let description: String?
    let type: ImageType
    let digest: Digest
    let size: Int64

    /// Returns nil for an image without data.
    init?(_ image: SnapshotImage, number: Int) {
        guard let stored = image.stored else { return nil }
        self.number = number
        (position, description) = (image.position, image.image.description)
        (type, digest, size) = (stored.type, stored.digest, stored.size)
    }

    /// A file name such as `0001-a-description.jpg`.
    var title: String {
        let digits = String(number)
        let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let slug = Slug.make(description ?? "", limit: 60)
        return "\(number)\(slug.isEmpty ? "" : "-")\(slug).\(type.fileExtension)"
    }
}

/// Writes the list of layers of a manifest.
enum LayerList {
    static func bytes(of layers: [Layer]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for layer in layers {
            json.beginObject()
            json.members(of: BlobDescriptor(mediaType: layer.type.mediaType, digest: layer.digest, size: layer.size))
            json.annotations([(OCILayout.title, layer.title)])
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func members(of descriptor: BlobDescriptor) {
        member("mediaType", descriptor.mediaType)
        member("digest", OCILayout.reference(descriptor.digest))
        member("size", descriptor.size)
    }

    fileprivate mutating func annotations(_ annotations: [(name: StaticString, value: String)]) {
        name("annotations")
        beginObject()
        for (name, value) in annotations { member(name, value) }
        endObject()
    }
}
