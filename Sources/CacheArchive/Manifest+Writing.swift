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
    let image: FeedImage
    let stored: StoredImage
    let position: Int64
}

/// The images of a manifest, as they stand in it.
enum LayerList {
    static func bytes(of layers: [Layer]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for layer in layers {
            let stored = layer.stored
            json.beginObject()
            json.members(
                of: BlobDescriptor(mediaType: stored.type.mediaType, digest: stored.digest, size: stored.size))
            json.annotation(OCILayout.title, title(of: layer.image, stored.type, at: layer.position))
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }

    /// `0001-a-description.jpg`.
    private static func title(of image: FeedImage, _ type: ImageType, at position: Int64) -> String {
        let digits = String(position &+ 1)
        let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let slug = Slug.make(image.description ?? "", limit: 60)
        return "\(number)\(slug.isEmpty ? "" : "-")\(slug).\(type.fileExtension)"
    }
}

extension JSONWriter {
    fileprivate mutating func members(of descriptor: BlobDescriptor) {
        member("mediaType", descriptor.mediaType)
        member("digest", OCILayout.reference(descriptor.digest))
        member("size", descriptor.size)
    }

    fileprivate mutating func annotation(_ name: String, _ value: String) {
        self.name("annotations")
        beginObject()
        member(name, value)
        endObject()
    }
}
