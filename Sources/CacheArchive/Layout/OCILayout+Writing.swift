internal import FeedCore
internal import JSONText

extension OCILayout {
    static var layoutText: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("imageLayoutVersion", version)
        json.endObject()
        return json.bytes
    }

    static func index(_ manifests: [(manifest: BlobDescriptor, name: String)]) -> [UInt8] {
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
            json.annotation(refName, name)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Writes a manifest. `layers` is a list that `LayerList` made.
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
    let description: String?
    let type: ImageType
    let digest: Digest
    let size: Int64

    /// Returns nil for an image without data.
    init?(_ image: SnapshotImage) {
        guard let stored = image.stored else { return nil }
        (position, description) = (image.position, image.image.description)
        (type, digest, size) = (stored.type, stored.digest, stored.size)
    }

    /// A file name such as `0001-a-description.jpg`.
    var title: String {
        let digits = String(position &+ 1)
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
            json.annotation(OCILayout.title, layer.title)
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

    fileprivate mutating func annotation(_ name: StaticString, _ value: String) {
        self.name("annotations")
        beginObject()
        member(name, value)
        endObject()
    }
}
