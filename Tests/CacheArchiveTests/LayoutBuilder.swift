import FeedCore
import JSONText
import TestDoubles
import TestSupport

/// The parts of an archive of one feed.
///
/// A test can change each part before the archive is built.
struct LayoutBuilder {
    static let feedType = "application/vnd.feedsync.feed.v1+json"
    static let manifestType = "application/vnd.oci.image.manifest.v1+json"

    var layout: JSONValue = ["imageLayoutVersion": "1.0.0"]
    /// The image data, each a blob that the document and the manifest reference.
    var images: [[UInt8]] = [Samples.png("one"), Samples.png("two")]
    var url = "https://feeds.example/first"
    var savedAt = "2026-01-02T03:04:05.000006Z"
    var changeDocument: (inout JSONValue) -> Void = { _ in }
    var changeManifest: (inout JSONValue) -> Void = { _ in }
    var changeIndex: (inout JSONValue) -> Void = { _ in }
    /// Further blobs, which are unreferenced.
    var moreBlobs: [[UInt8]] = []
    var leftOut: Set<String> = []

    static func name(_ blob: [UInt8]) -> String { "blobs/sha256/\(InMemoryImageStore.digest(of: blob).hex)" }

    static func reference(_ blob: [UInt8]) -> JSONValue {
        .string("sha256:\(InMemoryImageStore.digest(of: blob).hex)")
    }

    static func descriptor(_ blob: [UInt8], _ type: String) -> JSONValue {
        ["mediaType": .string(type), "digest": reference(blob), "size": .integer(blob.count)]
    }

    var document: [UInt8] {
        var images: [JSONValue] = []
        for (number, image) in self.images.enumerated() {
            images.append([
                "id": .string("\(number)"), "url": .string("https://images.example/\(number).png"),
                "digest": Self.reference(image), "etag": "\"\(number)\"",
            ])
        }
        var value: JSONValue = [
            "version": 1, "url": .string(url), "title": "A feed", "format": "essential", "saved_at": .string(savedAt),
            "images": .array(images),
        ]
        changeDocument(&value)
        return Array(value.text().utf8)
    }

    var manifest: [UInt8] {
        var value: JSONValue = [
            "schemaVersion": 2, "mediaType": .string(Self.manifestType), "artifactType": .string(Self.feedType),
            "config": Self.descriptor(document, Self.feedType),
            "layers": .array(images.map { Self.descriptor($0, "image/png") }),
        ]
        changeManifest(&value)
        return Array(value.text().utf8)
    }

    var index: [UInt8] {
        var value: JSONValue = [
            "schemaVersion": 2, "manifests": [Self.descriptor(manifest, Self.manifestType)],
        ]
        changeIndex(&value)
        return Array(value.text().utf8)
    }

    var files: [(name: String, bytes: [UInt8])] {
        let blobs = [manifest, document] + images + moreBlobs
        let all =
            [("oci-layout", Array(layout.text().utf8)), ("index.json", index)]
            + blobs.map { (Self.name($0), $0) }
        var seen: Set<String> = []
        return all.filter { !leftOut.contains($0.0) && seen.insert($0.0).inserted }
    }

    func tar(_ change: (inout TarBuilder) -> Void = { _ in }) -> [UInt8] {
        var tar = TarBuilder()
        for (name, bytes) in files { tar.add(name, bytes) }
        change(&tar)
        tar.end()
        return tar.bytes
    }
}

extension JSONValue {
    /// Sets a member, and replaces a previous one of the same name.
    mutating func set(_ name: String, _ value: JSONValue?) {
        guard case .object(var members) = self else { return }
        if let place = members.firstIndex(where: { $0.0 == name }) {
            if let value { members[place].1 = value } else { members.remove(at: place) }
        } else if let value {
            members.append((name, value))
        }
        self = .object(members)
    }

    mutating func change(_ name: String, _ work: (inout JSONValue) -> Void) {
        guard var value = self[name] else { return }
        work(&value)
        set(name, value)
    }

    mutating func changeElement(_ index: Int, _ work: (inout JSONValue) -> Void) {
        guard case .array(var elements) = self, elements.indices.contains(index) else { return }
        work(&elements[index])
        self = .array(elements)
    }
}
