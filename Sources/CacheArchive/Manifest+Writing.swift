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

    static func manifest(config: BlobDescriptor, layers: [(layer: BlobDescriptor, title: String)]) -> [UInt8] {
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
        json.beginArray()
        for (layer, title) in layers {
            json.beginObject()
            json.members(of: layer)
            json.annotation(OCILayout.title, title)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
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
